package s3

import (
	"strings"
	"testing"
	"time"
)

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]Address{
		"s3://files":                              {Bucket: "files"},
		"s3://files/":                             {Bucket: "files"},
		"s3://files/share.example/v1":             {Bucket: "files", Prefix: "share.example/v1/"},
		"s3://files?region=eu-central-1":          {Bucket: "files", Region: "eu-central-1"},
		"s3://my.files":                           {Bucket: "my.files", PathStyle: true},
		"s3://files?endpoint=https://s3.example/": {Bucket: "files", Endpoint: "https://s3.example", PathStyle: true},
		"s3://files?endpoint=https%3A%2F%2Fs3.example%3A9000&path-style=false&region=auto": {Bucket: "files",
			Endpoint: "https://s3.example:9000", Region: "auto"},
		"s3://files?endpoint=http://bucket:9000&public=https://files.example": {Bucket: "files",
			Endpoint: "http://bucket:9000", Public: "https://files.example", PathStyle: true},
		"s3://AKIA:se%2Fcr%2Bet@files/x": {Bucket: "files",
			Prefix: "x/", Key: "AKIA", Secret: "se/cr+et"},
	} {
		if got, err := ParseAddress(in); err != nil || got != want {
			t.Errorf("ParseAddress(%s) = %+v, %v\nwant %+v", in, got, err, want)
		}
	}
	for in, says := range map[string]string{
		"":                                       "an address of a bucket is s3://",
		"https://files":                          "an address of a bucket is s3://",
		"s3:files":                               "an address of a bucket is s3://",
		"s3://AKIA:hidden/cret@files":            "%2F",
		"s3://files#x":                           "an address of a bucket is s3://",
		"s3://":                                  "not the name of a bucket",
		"s3://F":                                 "not the name of a bucket",
		"s3://localhost:9000/files":              "endpoint=",
		"s3://files/a//b":                        "not a prefix",
		"s3://files/../b":                        "not a prefix",
		"s3://files/a%20b":                       "not a prefix",
		"s3://AKIA@files":                        "has a key but no secret",
		"s3://:hidden@files":                     "has a key but no secret",
		"s3://files?pathstyle=true":              `an unknown parameter "pathstyle"; use endpoint, public, region or path-style`,
		"s3://files?region=a&region=b":           "twice",
		"s3://files?region=":                     "region=eu-central-1",
		"s3://files?region=EU_1":                 "region=eu-central-1",
		"s3://files?path-style=perhaps":          "true or false",
		"s3://files?endpoint=s3.example":         "https:// or http://",
		"s3://files?endpoint=https://h/path":     "https:// or http://",
		"s3://files?endpoint=https://a:hidden@h": "https:// or http://",
		"s3://files?public=https://h":            "endpoint=",
		"s3://files?endpoint=http://h&public=h":  "public=https://",
		"s3://files?%zz":                         "cannot be read",
	} {
		_, err := ParseAddress(in)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("ParseAddress(%s) = %v\nwant %q", in, err, says)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("s3://KEY:SECRET@files/prefix?endpoint=https://s3.example&region=auto&path-style=true")
	f.Fuzz(func(t *testing.T, in string) {
		a, err := ParseAddress(in)
		if err != nil {
			return
		}
		if !bucketName.MatchString(a.Bucket) || !prefixName.MatchString(a.Prefix) || (a.Key == "") != (a.Secret == "") {
			t.Errorf("ParseAddress(%q) = %+v", in, a)
		}
	})
}

// TestOrigin opens addresses without sending requests.
func TestOrigin(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	for in, want := range map[string]string{
		"s3://files?region=eu-central-1":                                      "https://files.s3.eu-central-1.amazonaws.com",
		"s3://my.files?region=eu-central-1":                                   "https://s3.eu-central-1.amazonaws.com",
		"s3://files?endpoint=http://127.0.0.1:9000":                           "http://127.0.0.1:9000",
		"s3://files?endpoint=https://s3.example&path-style=false":             "https://files.s3.example",
		"s3://key:secret@files?endpoint=https://s3.example:444":               "https://s3.example:444",
		"s3://files?endpoint=http://bucket:9000&public=https://files.example": "https://files.example",
		"s3://files": "",
	} {
		b, err := Open(ctx, in, time.Now)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "region=") {
				t.Errorf("Open(%s) = %v, want an error about region=", in, err)
			}
			continue
		}
		if err != nil || b.Origin() != want {
			t.Errorf("Open(%s): origin %v, %v, want %s", in, b, err, want)
			continue
		}
		// Signed URLs lead there.
		if address, err := b.signPut(ctx, b.outside, "x", putGrant); err != nil ||
			!strings.HasPrefix(address, want+"/") {
			t.Errorf("%s: signed URL %s, %v", in, address, err)
		}
	}
}
