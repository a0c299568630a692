package ui

import (
	"html/template"
	"strings"
	"testing"
)

// TestComponents checks that components escape their values, and refuse
// attributes that run scripts or load resources.
func TestComponents(t *testing.T) {
	for text, want := range map[string]string{
		`{{button .Bad "small" "title" .Bad}}`: `<button class="button small" type="button" ` +
			`title="&lt;b&gt; &#34;"` + `>&lt;b&gt; &#34;</button>`,
		`{{submit "Approve" "primary" "key" "a" "disabled" false}}`: `<button class="button primary" type="submit" ` +
			`data-key="a">Approve<kbd>A</kbd></button>`,
		`{{button "Copy link" "item" "opens" "x"}}`: `<button type="button" popovertarget="x">Copy link</button>`,
		`{{field .Bad "text" "t" "value" .Bad "wrong" .Bad "suffix" .Bad}}`: `<label><span>&lt;b&gt; &#34;</span>` +
			`<span class="joined"><input class="field" name="t" type="text" value="&lt;b&gt; &#34;" ` +
			`aria-invalid="true" aria-describedby="wrong-t"><span class="suffix one-line">&lt;b&gt; &#34;</span></span></label>` +
			"\n" + `<p class="wrong" id="wrong-t" role="alert">&lt;b&gt; &#34;</p>`,
		`{{field "" "textarea" "t" "value" .Bad}}`: `<textarea class="field" name="t">&lt;b&gt; &#34;</textarea>`,
		`{{select "" "s" (options "a" .Bad "b" "B" "b")}}`: `<select class="field" name="s"><option value="a">` +
			`&lt;b&gt; &#34;</option><option value="b" selected>B</option></select>`,
		`{{switch .Bad "s" "yes" "checked" true}}`: `<label class="switch"><input type="checkbox" name="s" ` +
			`value="yes" checked> &lt;b&gt; &#34;</label>`,
		`{{hidden "h" .Bad}}`:                          `<input type="hidden" name="h" value="&lt;b&gt; &#34;">`,
		`{{chip "live" .Bad}}`:                         `<span class="chip is-live">&lt;b&gt; &#34;</span>`,
		`{{button "x" "" "onclick" "alert(1)"}}`:       "",
		`{{submit "x" "" "formaction" "javascript:"}}`: "",
		`{{field "" "image" "i" "src" "/x"}}`:          "",
		`{{button "x" "" "title"}}`:                    "",
		`{{round "nowhere" "x" ""}}`:                   "",
	} {
		var b strings.Builder
		err := template.Must(template.New("").Funcs(componentFuncs).Parse(text)).Execute(&b,
			map[string]string{"Bad": `<b> "`})
		if want == "" && err == nil || want != "" && (err != nil || b.String() != want) {
			t.Errorf("%s:\n got %s, %v\nwant %s", text, b.String(), err, want)
		}
	}
}
