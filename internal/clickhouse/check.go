package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
)

const (
	// oldestVersion is the oldest supported server. DELETE can wait for
	// completion since 24.4; the parts of a month can be merged into one since
	// 22.10.
	oldestVersion = "24.8"
	// clockApart is the largest tolerated difference between the server's clock
	// and ours. The ID of a view contains its time.
	clockApart = 30 * time.Second
)

// Check reports in a sentence, with a remedy, what is wrong with the database:
// it cannot be reached, refuses the credentials, does not exist, is too old, or
// its clock is wrong.
func (l *ViewLog) Check(ctx context.Context) error {
	var version string
	var ms int64
	before := time.Now()
	_, err := l.c.one(ctx, "SELECT version(), toUnixTimestamp64Milli(now64(3))",
		func(r *reader) { version, ms = r.string(), r.int64() })
	if err != nil {
		return l.c.explain(ctx, err)
	}
	after := time.Now()
	if older(version, oldestVersion) {
		return fmt.Errorf("ClickHouse at %s is version %s, and Vitrine needs %s or later: upgrade the server", l.c.host,
			version, oldestVersion)
	}
	there := time.UnixMilli(ms)
	if apart := max(before.Sub(there), there.Sub(after)); apart > clockApart {
		return fmt.Errorf("the clocks of ClickHouse at %s and of this machine differ by %v: synchronize both with NTP",
			l.c.host, apart.Round(time.Second))
	}
	for i := range tables {
		if err := l.c.exec(ctx, "SELECT 1 FROM "+tables[i].name+" LIMIT 0", nil); err != nil {
			return l.c.explain(ctx, err)
		}
	}
	return nil
}

// older compares versions such as 24.8.1.2.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range bs {
		n := 0
		if i < len(as) {
			n, _ = strconv.Atoi(as[i])
		}
		if m, _ := strconv.Atoi(bs[i]); n != m {
			return n < m
		}
	}
	return false
}

// explain rewords an error of the first requests for the person who configures
// the server.
func (c *client) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var u *vitrine.Error
	if errors.As(err, &u) && u.Err != nil {
		err = u.Err // the operator needs the server's own message
	}
	var e *exception
	switch {
	case !errors.As(err, &e):
		if errors.Is(err, errAnswer) {
			return fmt.Errorf("%s does not answer like ClickHouse's HTTP interface: its port is 8123, or 8443 with secure=true (%w)", c.host, err)
		}
		if isNetwork(err) {
			return fmt.Errorf("ClickHouse cannot be reached at %s: check the host, the port of its HTTP interface (8123, or 8443 with secure=true) and that it runs (%w)",
				c.host, err)
		}
		return err
	case e.code == codeAuthentication || e.code == codeUnknownUser || e.code == codeWrongPassword ||
		e.code == codeRequiredPassword ||
		e.code == 0 && (e.status == http.StatusUnauthorized || e.status == http.StatusForbidden):
		return fmt.Errorf("ClickHouse at %s refuses the user %q: check the user and the password in the address (%w)",
			c.host, c.user, err)
	case e.code == codeUnknownDatabase:
		return fmt.Errorf("ClickHouse at %s has no database %s: make it with CREATE DATABASE %s%s (%w)", c.host,
			c.database, c.database, c.onCluster(), err)
	case e.code == codeNotEnoughRights || e.code == codeReadonly:
		return fmt.Errorf("the user %q lacks permissions in the database %s: GRANT ALL ON %s.* TO %s, and no readonly profile (%w)",
			c.user, c.database, c.database, c.user, err)
	case e.code == codeUnknownSetting:
		return fmt.Errorf("ClickHouse at %s does not support a setting: Vitrine needs version %s or later (%w)", c.host,
			oldestVersion, err)
	case e.code == 0:
		return fmt.Errorf("%s does not answer like ClickHouse's HTTP interface: its port is 8123, or 8443 with secure=true (%w)", c.host, err)
	}
	return err
}
