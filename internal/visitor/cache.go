package visitor

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

const (
	// maxAgent is how many bytes of a user agent are read. Browsers stay below
	// 500, apps that list all that they know below 700.
	maxAgent = 1024

	// cacheSets times cacheWays user agents are cached: less than 3 MB, for any
	// request.
	cacheSets = 512
	cacheWays = 4
)

// agents caches recent user agents, because a few hundred of them make most of
// the traffic.
var agents agentCache

// agentCache keeps each user agent in one of the few slots of its set. A new
// one replaces the one that was added longest ago. The seed is random in each
// process, so nobody can choose user agents that push out a particular one.
type agentCache struct {
	sets [cacheSets]struct {
		places [cacheWays]atomic.Pointer[cached]
		next   atomic.Uint32
	}
}

type cached struct {
	userAgent string
	agent     agent
}

var cacheSeed = maphash.MakeSeed()

// lookup parses a user agent, or returns the cached result.
func (c *agentCache) lookup(userAgent string) agent {
	userAgent = bounded(userAgent, maxAgent)
	set := &c.sets[maphash.String(cacheSeed, userAgent)%cacheSets]
	for i := range set.places {
		if hit := set.places[i].Load(); hit != nil && hit.userAgent == userAgent {
			return hit.agent
		}
	}
	fresh := &cached{strings.Clone(userAgent), parseAgent(userAgent)}
	set.places[set.next.Add(1)%cacheWays].Store(fresh)
	return fresh.agent
}

// bounded returns s cut to at most n bytes.
func bounded(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
