package front

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// apiExample is a request to an operation in one language.
type apiExample struct {
	Lang, Name, Text string // for the tab: its value and its label
}

// Examples returns the request for an instance whose API is at base.
func (op apiOp) Examples(base string) []apiExample {
	r := op.exampleRequest(base)
	return []apiExample{{"curl", "curl", op.curl(r)}, {"js", "JavaScript", r.javaScript()},
		{"python", "Python", r.python()}, {"go", "Go", r.golang()}}
}

// exampleRequest is a request of an example, for any language.
type exampleRequest struct {
	method, url string
	fromEnv     bool // the URL is in the environment, as SIGNED_URL
	key         bool
	contentType string
	json, file  string // the body: one of them, or none
	saved       string // the file for the answer; "" for JSON
	empty       bool   // the answer has no body
}

var samplePath = strings.NewReplacer("{slug}", string(sampleLink.Slug), "{language}", "en", "{version}", "1",
	"{id}", "7", "{visit}", "3762478080000000001")

func (op apiOp) exampleRequest(base string) exampleRequest {
	path := samplePath.Replace(op.Path)
	for _, p := range op.Params {
		if p.Name == "range" {
			path += "?range=7d"
		}
	}
	r := exampleRequest{method: op.Method, url: base + path, key: op.Key, contentType: op.BodyType, json: op.Request}
	switch {
	case op.ID == "putFile":
		r.fromEnv, r.contentType, r.file = true, "application/pdf", "report.pdf"
	case op.BodyType != "" && op.BodyType != "application/json":
		r.file = "captions.vtt"
	}
	if op.ID == "getFile" {
		r.saved = "report.pdf"
	}
	for _, a := range op.Answers {
		r.empty = r.empty || a.Status == "204"
	}
	return r
}

// curl returns the request as a line for a shell.
func (op apiOp) curl(r exampleRequest) string {
	if r.fromEnv {
		return `curl -sS -T report.pdf -H "Content-Type: application/pdf" "$SIGNED_URL"`
	}
	var b strings.Builder
	b.WriteString("curl -sS")
	switch {
	case r.file != "":
		b.WriteString(" -T " + r.file)
	case r.method != "GET" && r.json == "":
		b.WriteString(" -X " + r.method)
	case r.method != "GET" && r.method != "POST":
		b.WriteString(" -X " + r.method)
	}
	if r.saved != "" {
		b.WriteString(" -o " + r.saved)
	}
	b.WriteString(" " + r.url)
	if r.key {
		b.WriteString(` -H "Authorization: Bearer $VITRINE_API_KEY"`)
	}
	switch {
	case r.json != "":
		b.WriteString(" \\\n  --json '" + r.json + "'")
	case r.contentType != "":
		b.WriteString(` -H "Content-Type: ` + r.contentType + `"`)
	}
	return b.String()
}

// javaScript returns the request for Node.js.
func (r exampleRequest) javaScript() string {
	var imports, options []string
	url := `"` + r.url + `"`
	if r.fromEnv {
		url = "process.env.SIGNED_URL"
	}
	if r.method != "GET" {
		options = append(options, `method: "`+r.method+`"`)
	}
	var headers []string
	if r.key {
		headers = append(headers, "Authorization: `Bearer ${process.env.VITRINE_API_KEY}`")
	}
	if r.contentType != "" {
		headers = append(headers, `"Content-Type": "`+r.contentType+`"`)
	}
	if len(headers) > 0 {
		options = append(options, "headers: { "+strings.Join(headers, ", ")+" }")
	}
	switch {
	case r.json != "":
		options = append(options, "body: JSON.stringify("+indented(r.json, "  ")+")")
	case r.file != "":
		imports = append(imports, `import { openAsBlob } from "node:fs";`)
		options = append(options, `body: await openAsBlob("`+r.file+`")`)
	}
	call := "const answer = await fetch(" + url
	if len(options) > 0 {
		call += ", {\n  " + strings.Join(options, ",\n  ") + ",\n}"
	}
	lines := []string{call + ");", "if (!answer.ok) throw new Error(await answer.text());"}
	switch {
	case r.saved != "":
		imports = append(imports, `import { writeFile } from "node:fs/promises";`)
		lines = append(lines, `await writeFile("`+r.saved+`", answer.body);`)
	case !r.empty:
		lines = append(lines, "console.log(await answer.json());")
	}
	if len(imports) > 0 {
		lines = append(append(imports, ""), lines...)
	}
	return strings.Join(lines, "\n")
}

// python returns the request for the standard library of Python 3.
func (r exampleRequest) python() string {
	imports := []string{"urllib.request"}
	args := []string{`"` + r.url + `"`}
	if r.fromEnv {
		imports = append(imports, "os")
		args[0] = `os.environ["SIGNED_URL"]`
	}
	if r.method != "GET" {
		args = append(args, `method="`+r.method+`"`)
	}
	var headers []string
	if r.key {
		imports = append(imports, "os")
		headers = append(headers, `"Authorization": "Bearer " + os.environ["VITRINE_API_KEY"]`)
	}
	if r.contentType != "" {
		headers = append(headers, `"Content-Type": "`+r.contentType+`"`)
	}
	if len(headers) > 0 {
		args = append(args, "headers={"+strings.Join(headers, ", ")+"}")
	}
	switch {
	case r.json != "":
		imports = append(imports, "json")
		args = append(args, "data=json.dumps("+indented(pythonLiteral(r.json), "    ")+").encode()")
	case r.file != "":
		args = append(args, `data=open("`+r.file+`", "rb").read()`)
	}
	answer := "    print(json.load(answer))"
	switch {
	case r.saved != "":
		answer = `    open("` + r.saved + `", "wb").write(answer.read())`
	case r.empty:
		answer = "    print(answer.status)"
	default:
		imports = append(imports, "json")
	}
	var sorted []string
	for _, name := range []string{"json", "os", "urllib.request"} {
		if slices.Contains(imports, name) {
			sorted = append(sorted, name)
		}
	}
	return fmt.Sprintf("import %s\n\nrequest = urllib.request.Request(\n    %s,\n)\nwith urllib.request.urlopen(request) as answer:\n%s",
		strings.Join(sorted, ", "), strings.Join(args, ",\n    "), answer)
}

// golang returns the request for net/http, as the statements of a function.
func (r exampleRequest) golang() string {
	const check = "if err != nil {\n\treturn err\n}\n"
	var b strings.Builder
	body, url := "nil", `"`+r.url+`"`
	if r.fromEnv {
		url = `os.Getenv("SIGNED_URL")`
	}
	switch {
	case r.json != "":
		b.WriteString("body := strings.NewReader(`" + r.json + "`)\n")
		body = "body"
	case r.file != "":
		b.WriteString(`file, err := os.ReadFile("` + r.file + "\")\n" + check)
		body = "bytes.NewReader(file)"
	}
	fmt.Fprintf(&b, "req, err := http.NewRequestWithContext(ctx, %q, %s, %s)\n%s", r.method, url, body, check)
	if r.key {
		b.WriteString(`req.Header.Set("Authorization", "Bearer "+os.Getenv("VITRINE_API_KEY"))` + "\n")
	}
	if r.contentType != "" {
		fmt.Fprintf(&b, "req.Header.Set(\"Content-Type\", %q)\n", r.contentType)
	}
	b.WriteString("res, err := http.DefaultClient.Do(req)\n" + check + "defer res.Body.Close()\n")
	b.WriteString("if res.StatusCode >= 300 {\n\treturn errors.New(res.Status)\n}\n")
	switch {
	case r.saved != "":
		b.WriteString(`out, err := os.Create("` + r.saved + "\")\n" + check + "defer out.Close()\n_, err = io.Copy(out, res.Body)\nreturn err")
	case r.empty:
		b.WriteString("return nil")
	default:
		b.WriteString("_, err = io.Copy(os.Stdout, res.Body)\nreturn err")
	}
	return b.String()
}

// indented indents all lines of a text but its first.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

var jsonWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b`)

// pythonLiteral returns JSON as Python writes it.
func pythonLiteral(text string) string {
	return jsonWords.ReplaceAllStringFunc(text, func(s string) string {
		switch s {
		case "true":
			return "True"
		case "false":
			return "False"
		case "null":
			return "None"
		}
		return s
	})
}
