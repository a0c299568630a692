package filetype

import "testing"

func TestRemoteHost(t *testing.T) {
	for target, want := range map[string]string{
		"https://a.example/x":           "a.example",
		"HTTP://user@a.example:80/x":    "a.example:80",
		`\\a.example\share\x`:           "a.example",
		"//203.0.113.7/x":               "203.0.113.7",
		"file://a.example/x":            "a.example",
		`file:///\\a.example\x`:         "a.example",
		"file:///%5C%5Ca.example%5Cx":   "a.example",
		"http://3405803783/x":           "3405803783",
		"http://[2001:db8::1]/":         "[2001:db8::1]",
		"&#104;ttp://a.example":         "a.example",
		`file:///C:\Users\a.b\x.dotx`:   "",
		`\\fileserver\templates\x.dotx`: "",
		"http://intranet/x":             "",
		"word/media/image1.png":         "",
		"mailto:a@b.example":            "",
		"#anchor":                       "",
		"file:///home/a.b/x":            "",
		"":                              "",
		"https:":                        "",
	} {
		if got := RemoteHost(target); got != want {
			t.Errorf("RemoteHost(%s) = %q, want %q", target, got, want)
		}
	}
}
