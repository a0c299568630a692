package main

import (
	"strings"
	"time"

	"vitrine/client"
)

const defaultURL = "http://localhost:8080"

// remote names the instance that a verb speaks to over its API.
type remote struct {
	URL    string `help:"Address of the instance." env:"VITRINE_URL" default:"http://localhost:8080"`
	APIKey string `help:"API key. Better in the environment: arguments can be seen by others on the machine." env:"VITRINE_API_KEY" placeholder:"KEY"`
	jsonFlag
}

// client is the API's client; notice is told of each pause before a request is tried again.
func (r remote) client(notice func(client.Retry)) (*client.Client, error) {
	if strings.TrimSpace(r.APIKey) == "" {
		return nil, usage("there is no API key: set VITRINE_API_KEY (\"vitrine account create\" and \"vitrine key create\" print one)")
	}
	c, err := client.New(r.URL, r.APIKey, client.WithUserAgent("vitrine/"+version), client.WithRetryNotice(notice))
	if err != nil {
		return nil, usage(err.Error())
	}
	return c, nil
}

// notice tells a person of a pause.
func (t *terminal) notice(r client.Retry) {
	t.say("%s; trying again in %s", plain(r.Err.Error()), r.Wait.Round(100*time.Millisecond))
}
