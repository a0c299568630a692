package ui

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"

	"vitrine"
)

// Components that templates write as functions, because they take whatever
// attributes their element of HTML has. Each takes what every use must say, and
// then attributes, names and values in turn:
//
//	{{button "Copy" "primary" "icon" "copy" "data-copy" "address"}}
//	{{submit "Save" "primary"}}
//	{{round "copy" "Copy the address" "" "data-text" .URL}}
//	{{field "Title" "text" "title" "value" .Title "required" true "wrong" (index .Wrong "title")}}
//	{{select "Plan" "plan" .Plans}}
//	{{switch "Readers can download the file" "download" "yes" "checked" .Download}}
//	{{hidden "back" .Here}}
//
// The value true writes the name alone; false and nil leave the attribute out.
// The other components are in parts.html.
var componentFuncs = map[string]any{"button": button, "submit": submit, "round": round, "field": field,
	"password": password, "wrong": wrong, "select": selectField, "options": options, "switch": switchField,
	"chip": chip, "tabs": tabs, "hidden": hidden}

// chip is the state of a link, or another text in its look.
func chip(state any, text ...any) (template.HTML, error) {
	name, a := StateName(vitrine.LinkState(fmt.Sprint(state))), attributes(nil)
	if len(text) > 0 {
		name, a = fmt.Sprint(text[0]), text[1:]
	}
	tag, err := append(attributes{"class", "chip is-" + cmp.Or(fmt.Sprint(state), "deleted")}, a...).tag("span")
	return template.HTML(tag + template.HTMLEscapeString(name) + "</span>"), err
}

// tabs are pages beside each other: names and addresses in turn. current is the
// address of the page that is shown.
func tabs(current string, pairs ...string) (list []Tab) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Tab{Name: pairs[i], Address: pairs[i+1], Current: pairs[i+1] == current})
	}
	return list
}

// attributes are names and values of one element, in turn.
type attributes []any

// take removes an option, which is no attribute of the element, and returns its
// text: "" if there is none.
func (a *attributes) take(option string) string {
	for i := 0; i+1 < len(*a); i += 2 {
		if (*a)[i] == option {
			value := (*a)[i+1]
			*a = slices.Delete(slices.Clone(*a), i, i+2)
			if value == nil || value == false {
				return ""
			}
			return fmt.Sprint(value)
		}
	}
	return ""
}

// safeName admits the attributes that run and load nothing.
var safeName = regexp.MustCompile(`^(aria-[a-z]+|data-[a-z-]+|accept|autocapitalize|autocomplete|autofocus|checked|` +
	`class|dir|disabled|enterkeyhint|form|formaction|formnovalidate|hidden|id|inputmode|list|max|maxlength|min|minlength|` +
	`multiple|name|placeholder|popovertarget|popovertargetaction|readonly|required|rows|selected|spellcheck|tabindex|` +
	`title|type|value)$`)

// safe reports whether safeName admits a name. It keeps those that it admits,
// which are names in templates, so there are few.
func safe(name string) bool {
	if _, known := safeNames.Load(name); known {
		return true
	}
	if !safeName.MatchString(name) {
		return false
	}
	safeNames.Store(name, true)
	return true
}

var safeNames sync.Map

// tag returns the opening tag of an element.
func (a attributes) tag(element string) (string, error) {
	var b strings.Builder
	b.WriteString("<" + element)
	if len(a)%2 != 0 {
		return "", fmt.Errorf("%s: the attribute %v has no value", element, a[len(a)-1])
	}
	for i := 0; i < len(a); i += 2 {
		name, isText := a[i].(string)
		if !isText {
			name = fmt.Sprint(a[i])
		}
		value := a[i+1]
		switch {
		case !safe(name), name == "formaction" && !strings.HasPrefix(fmt.Sprint(value), "/"):
			return "", fmt.Errorf("%s: the attribute %s=%q is not allowed", element, name, fmt.Sprint(value))
		case value == true:
			b.WriteString(" " + name)
		case value != nil && value != false:
			b.WriteString(" " + name + `="` + template.HTMLEscaper(value) + `"`)
		}
	}
	return b.String() + ">", nil
}

// icons are the icons of icons.html, by their names.
var icons = sync.OnceValue(func() map[string]string {
	text, err := templateFiles()["icons.html"].read()
	if err != nil {
		panic(err) // the file is part of the program
	}
	all := map[string]string{}
	for _, t := range template.Must(template.New("").Parse(string(text))).Templates() {
		var b strings.Builder
		if err := t.Execute(&b, nil); err == nil {
			all[strings.TrimPrefix(t.Name(), "icon-")] = b.String()
		}
	}
	return all
})

// kinds are the classes of buttons that do not look like one.
var kinds = []string{"plain-button", "round", "tool", "view-only", "item"}

// button is a button that a script or a popover answers to. look is further
// classes, or begins with another kind: "item" is one of a menu, which has no
// class. Options: "icon" stands before the text, "key", which also presses the
// button, and "heard", which only screen readers say, behind it; "opens" and
// "closes" are the ID of a popover.
func button(text, look string, a ...any) (template.HTML, error) {
	return pressed("button", text, look, a)
}

// submit is a button that sends its form.
func submit(text, look string, a ...any) (template.HTML, error) {
	return pressed("submit", text, look, a)
}

// round is a button that has only an icon.
func round(iconName, label, look string, a ...any) (template.HTML, error) {
	return pressed("button", "", "round "+look, append(a, "icon", iconName, "aria-label", label))
}

func pressed(kind, text, look string, a attributes) (template.HTML, error) {
	classes := strings.Fields(look)
	if len(classes) == 0 || !slices.Contains(kinds, classes[0]) {
		classes = append([]string{"button"}, classes...)
	}
	plain := classes[0] != "button"
	if classes[0] == "item" {
		classes = classes[1:]
	}
	var picture string
	if name := a.take("icon"); name != "" {
		if picture = icons()[name]; picture == "" {
			return "", fmt.Errorf("there is no icon %q", name)
		}
	}
	text = template.HTMLEscapeString(text)
	if picture != "" && text != "" && !plain {
		text = "<span>" + text + "</span>"
	}
	if heard := a.take("heard"); heard != "" {
		text += `<span class="heard"> ` + template.HTMLEscapeString(heard) + "</span>"
	}
	start := attributes{"class", orNone(strings.Join(classes, " ")), "type", cmp.Or(a.take("type"), kind)}
	if key := a.take("key"); key != "" {
		text += "<kbd>" + template.HTMLEscapeString(strings.ToUpper(key)) + "</kbd>"
		start = append(start, "data-key", key)
	}
	if id := a.take("opens"); id != "" {
		start = append(start, "popovertarget", id)
	}
	if id := a.take("closes"); id != "" {
		start = append(start, "popovertarget", id, "popovertargetaction", "hide")
	}
	tag, err := append(start, a...).tag("button")
	return template.HTML(tag + picture + text + "</button>"), err
}

// orNone is the value of an attribute that is left out for "".
func orNone(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// field is an input with its label. A field without a label ("") has an
// aria-label, one without a name is not sent. kind is the type of the input, or
// "textarea". Options: "class"; "prefix" and "suffix" stand beside what is
// typed; and those of labelled.
func field(label, kind, name string, a ...any) (template.HTML, error) {
	return labelled(label, name, a, func(a attributes) (string, error) {
		class := strings.TrimSpace("field " + a.take("class"))
		prefix, suffix := a.take("prefix"), a.take("suffix")
		start, element, end := attributes{"class", class, "name", orNone(name), "type", kind}, "input", ""
		if kind == "textarea" {
			start, element, end = start[:4], kind, template.HTMLEscapeString(a.take("value"))+"</textarea>"
		}
		tag, err := append(start, a...).tag(element)
		if prefix+suffix == "" {
			return tag + end, err
		}
		out := beside("prefix", prefix) + tag + end + beside("suffix", suffix)
		return `<span class="joined">` + out + "</span>", err
	})
}

// password is the field of a password, which a button shows. kind is its
// autocomplete. Options are those of labelled.
func password(kind string, a ...any) (template.HTML, error) {
	show, err := button("Show", "plain-button with-script", "data-shows", "password", "aria-pressed", "false")
	if err != nil {
		return "", err
	}
	return labelled("", "password", a, func(a attributes) (string, error) {
		tag, err := append(attributes{"class", "field", "id", "password", "type", "password", "name", "password",
			"autocomplete", kind, "required", true}, a...).tag("input")
		return `<div class="labelled"><label for="password"><span>Password</span></label>` + "\n" + tag + "\n" +
			string(show) + "</div>", err
	})
}

// beside is what stands before or behind what is typed into a field.
func beside(class, text string) string {
	if text == "" {
		return ""
	}
	return `<span class="` + class + ` one-line">` + template.HTMLEscapeString(text) + "</span>"
}

// selectField is a select with its label, as in field.
func selectField(label, name string, options []Option, a ...any) (template.HTML, error) {
	return labelled(label, name, a, func(a attributes) (string, error) {
		tag, err := append(attributes{"class", "field", "name", name}, a...).tag("select")
		for _, o := range options {
			option, wrong := attributes{"value", o.Value, "selected", o.Chosen}.tag("option")
			err = errors.Join(err, wrong)
			tag += option + template.HTMLEscapeString(o.Name) + "</option>"
		}
		return tag + "</select>", err
	})
}

// options are those of a select: values and names in turn, and at the end the
// value that is chosen, if one is.
func options(pairs ...any) (list []Option) {
	var chosen any
	if len(pairs)%2 != 0 {
		chosen = pairs[len(pairs)-1]
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Option{Value: fmt.Sprint(pairs[i]), Name: fmt.Sprint(pairs[i+1]),
			Chosen: pairs[i] == chosen})
	}
	return list
}

// labelled puts a label around a field. Options: "hint" stands below it, and
// "wrong" says what is wrong with the last value; "about" is the ID of an
// element that explains the field, and "wrong-below" is like "wrong" where
// {{wrong}} writes the message elsewhere.
func labelled(label, name string, a attributes, element func(attributes) (string, error)) (template.HTML, error) {
	hint, message, about, below := a.take("hint"), a.take("wrong"), a.take("about"), a.take("wrong-below")
	ids := strings.Fields(about)
	if hint != "" {
		ids = append(ids, "hint-"+name)
	}
	if message+below != "" {
		ids = append(ids, "wrong-"+name)
		a = append(a, "aria-invalid", "true")
	}
	if len(ids) > 0 {
		a = append(a, "aria-describedby", strings.Join(ids, " "))
	}
	out, err := element(a)
	if err != nil {
		return "", err
	}
	if label != "" {
		out = "<label><span>" + template.HTMLEscapeString(label) + "</span>" + out + "</label>"
	}
	out += string(wrong(name, message))
	if hint != "" {
		out += fmt.Sprintf("\n"+`<p class="hint" id="hint-%s">%s</p>`,
			template.HTMLEscapeString(name), template.HTMLEscapeString(hint))
	}
	return template.HTML(out), nil
}

// wrong is what is wrong with the value of a field, or nothing for "".
func wrong(name, message string) template.HTML {
	if message == "" {
		return ""
	}
	return template.HTML(fmt.Sprintf("\n"+`<p class="wrong" id="wrong-%s" role="alert">%s</p>`,
		template.HTMLEscapeString(name), template.HTMLEscapeString(message)))
}

// switchField is a checkbox with its label, which sends value if it is on.
func switchField(label, name, value string, a ...any) (template.HTML, error) {
	tag, err := append(attributes{"type", "checkbox", "name", orNone(name), "value", orNone(value)}, a...).tag("input")
	return template.HTML(`<label class="switch">` + tag + " " + template.HTMLEscapeString(label) + "</label>"), err
}

// hidden is a value that the form sends besides those of its fields.
func hidden(name string, value any, a ...any) (template.HTML, error) {
	tag, err := append(attributes{"type", "hidden", "name", name, "value", fmt.Sprint(value)}, a...).tag("input")
	return template.HTML(tag), err
}
