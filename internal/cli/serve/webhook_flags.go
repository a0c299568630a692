package serve

import (
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/cli/command"
)

// webhookFlags say where webhooks may send.
type webhookFlags struct {
	Networks networks
	Ports    ports
}

// AddFlags adds the flags to a command.
func (f *webhookFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Webhooks")
	cmd.Text(&f.Networks, "webhook-networks", "CIDR", "", "Private addresses or networks that webhooks may send to, and documents of programs that connect by OAuth be fetched from, also by http and on any port. Every account of the instance can then reach them. Default: none; webhooks send only to public addresses, by https.").Env("VITRINE_WEBHOOK_NETWORKS")
	cmd.Text(&f.Ports, "webhook-ports", "PORTS", "", "Ports of public addresses that webhooks may send to besides 443, separated by commas.").Env("VITRINE_WEBHOOK_PORTS")
}

// ports are numbers of ports.
type ports []int

// UnmarshalText adds those of a text, which are separated by commas.
func (p *ports) UnmarshalText(text []byte) error {
	for s := range strings.SplitSeq(string(text), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return fmt.Errorf("%q is not a port such as 8443", s)
		}
		*p = append(*p, n)
	}
	return nil
}
