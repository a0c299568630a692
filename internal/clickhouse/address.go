package clickhouse

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// address is a parsed database address.
type address struct {
	secure         bool
	host           string // including the port
	user, password string
	database       string
	cluster        string // "": one server by itself
}

// identifier matches names that need no quotes. An address may contain no
// others.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// parseAddress parses
// clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?secure=true&cluster=NAME. Its
// errors never contain the password.
func parseAddress(s string) (a address, err error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "clickhouse" || u.Host == "" || u.Opaque != "" || u.Fragment != "" ||
		strings.Contains(u.Path+u.RawQuery, "@") {
		return a, errors.New("an address of ClickHouse is clickhouse://USER:PASSWORD@HOST:PORT/DATABASE; in a password, / is written %2F, @ %40, : %3A, # %23, ? %3F and % %25")
	}
	a.user, a.host = u.User.Username(), u.Host
	a.password, _ = u.User.Password()
	a.database = strings.TrimPrefix(u.Path, "/")
	if !identifier.MatchString(a.database) {
		return a, fmt.Errorf("the address of ClickHouse names the database %q: a name is made of letters, digits and _",
			a.database)
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return a, fmt.Errorf("the parameters of ClickHouse's address cannot be read: %w", err)
	}
	for name, values := range parameters {
		value := values[len(values)-1]
		switch {
		case len(values) > 1:
			return a, fmt.Errorf("the address of ClickHouse has the parameter %q more than once", name)
		case name == "secure" && (value == "true" || value == "false"):
			a.secure = value == "true"
		case name == "secure":
			return a, fmt.Errorf("secure in the address of ClickHouse is true or false, not %q", value)
		case name == "cluster" && identifier.MatchString(value):
			a.cluster = value
		case name == "cluster":
			return a, fmt.Errorf("the address of ClickHouse names the cluster %q: a name is made of letters, digits and _", value)
		default:
			return a, fmt.Errorf("the address of ClickHouse has the unknown parameter %q; use secure or cluster", name)
		}
	}
	if u.Port() == "" {
		port := "8123"
		if a.secure {
			port = "8443"
		}
		a.host = net.JoinHostPort(u.Hostname(), port)
	}
	return a, nil
}

// url returns the URL for requests.
func (a address) url() string {
	if a.secure {
		return "https://" + a.host + "/"
	}
	return "http://" + a.host + "/"
}
