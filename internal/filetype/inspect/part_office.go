package inspect

import (
	"path"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// officeElement judges an element of an OOXML part.
func (w *partWatch) officeElement(t *text.MarkupTag) *filetype.Problem {
	switch t.Name {
	case "Relationship":
		return w.relationship(t)
	case "Override", "Default":
		if w.root == "Types" && strings.Contains(strings.ToLower(t.Attr("ContentType")), "activex") {
			w.facts.HoldFor(filetype.HoldActiveContent)
		}
	case "instrText", "delInstrText":
		w.text = !t.Empty
	case "fldSimple":
		if p := field(w.facts, t.Attr("instr")); p != nil {
			return p
		}
		if !t.Empty {
			w.fields.begin()
			w.fields.separate()
		}
	case "fldChar":
		switch strings.ToLower(t.Attr("fldCharType")) {
		case "begin":
			w.fields.begin()
		case "separate":
			return field(w.facts, w.fields.separate())
		case "end":
			return field(w.facts, w.fields.end())
		}
	case "ddeLink":
		return w.facts.CheckDDE(t.Attr("ddeService") + " " + t.Attr("ddeTopic"))
	case "hlinkClick", "hlinkHover", "hlinkMouseOver":
		if action := strings.ToLower(t.Attr("action")); strings.HasPrefix(action, "ppaction://program") {
			w.facts.HoldAbout(filetype.HoldProgramAction, w.name)
		}
	case "mcd": // a macro, of vbaData
		return filetype.MacroProblem()
	case "definedName":
		for _, a := range []string{"xlm", "function", "vbProcedure"} {
			value := t.Attr(a)
			w.macros.names = w.macros.names || value != "" && value != "0" && value != "false"
		}
	case "binData", "binaryData", "docSuppData", "docOleData":
		// A document in one XML file within another.
		if name := strings.ToLower(t.Attr("name")); t.Name == "docSuppData" || strings.HasSuffix(name, ".mso") {
			return filetype.MacroProblem()
		}
	}
	return nil
}

// harmlessRelations may point anywhere: a click follows them, or they load a
// picture, film or table. All others load a part of the document itself.
var harmlessRelations = map[string]bool{
	"hyperlink": true, "image": true, "linkedimage": true, "video": true, "audio": true, "media": true, "movie": true,
	"externallinkpath": true, "xlpathmissing": true, "xlstartup": true, "xlalternatestartup": true, "xllibrary": true,
	"externallinklongpath": true, "mailmergesource": true, "mailmergeheadersource": true, "recipientdata": true,
	"transform": true, "attachedschema": true, "pivotcachedefinition": true, "slideupdateurl": true,
	"slideupdateinfo": true,
	"customxml":       true, "officedocument": true, "thumbnail": true, "svg": true, "googlesheetsdata": true,
}

// relationship judges a reference of a part by the last word of its type.
func (w *partWatch) relationship(t *text.MarkupTag) *filetype.Problem {
	kind, target := strings.ToLower(path.Base(t.Attr("Type"))), t.Attr("Target")
	switch {
	case strings.Contains(kind, "macrosheet"),
		strings.Contains(kind, "vbaproject") && !strings.EqualFold(path.Base(target), "vbaProject.bin"),
		strings.Contains(kind, "vba") && strings.EqualFold(strings.TrimSpace(t.Attr("TargetMode")), "External"):
		return filetype.MacroProblem().SetContext(target)
	case strings.Contains(kind, "vbaproject"), strings.Contains(kind, "vbadata"):
		w.macros.declared = true
	case strings.HasPrefix(kind, "activexcontrol"):
		w.facts.HoldAbout(filetype.HoldActiveContent, target)
	}
	if !strings.EqualFold(t.Attr("TargetMode"), "External") {
		return nil
	}
	lower := strings.ToLower(target)
	switch {
	case kind == "hyperlink":
		if filetype.Handlers.MatchString(target) {
			w.facts.HoldAbout(filetype.HoldScriptReference, target)
		}
	case filetype.Handlers.MatchString(target), strings.Contains(lower, "!x-usc:"), kind == "oleobject" &&
		strings.HasSuffix(lower, "!") && filetype.RemoteHost(target) != "":
		return filetype.UnsafeFile(filetype.ReasonObjectExploit,
			"The document loads an object by an address made to run a program. Remove it and save the document again.").SetContext(target)
	case kind == "image" && strings.HasPrefix(strings.ReplaceAll(lower, `\`, "/"), "//") &&
		filetype.RemoteHost(target) != "",
		kind == "image" && strings.HasPrefix(lower, "file:") && filetype.RemoteHost(target) != "":
		w.facts.HoldAbout(filetype.HoldExternalObject, target)
	case harmlessRelations[kind] || filetype.RemoteHost(target) == "":
	case kind == "attachedtemplate":
		w.facts.HoldAbout(filetype.HoldExternalTemplate, target)
	default:
		w.facts.HoldAbout(filetype.HoldExternalObject, target)
	}
	return nil
}

// calls are the prefixes with which an OpenDocument file refers to a script or
// command of the program that opens it.
var calls = []string{"vnd.sun.star.script:", "macro:", "vnd.sun.star.expand:", "vnd.libreoffice.command:", ".uno:",
	"slot:", "service:"}

// openElement judges an element of an OpenDocument part.
func (w *partWatch) openElement(t *text.MarkupTag) *filetype.Problem {
	if !strings.HasPrefix(w.root, "document") {
		return nil
	}
	href := strings.TrimSpace(t.Attr("href"))
	switch t.Name {
	case "dde-connection-decl", "dde-source":
		return w.facts.CheckDDE(t.Attr("dde-application") + " " + t.Attr("dde-topic"))
	case "applet":
		w.facts.HoldFor(filetype.HoldActiveContent)
	case "floating-frame", "section-source", "object", "object-ole":
		if filetype.RemoteHost(href) != "" {
			w.facts.HoldAbout(filetype.HoldExternalObject, href)
		}
	}
	lower := strings.ToLower(href)
	for _, call := range calls {
		if strings.HasPrefix(lower, call) {
			w.facts.HoldAbout(filetype.HoldScriptReference, href)
		}
	}
	if filetype.Handlers.MatchString(href) {
		w.facts.HoldAbout(filetype.HoldScriptReference, href)
	}
	return nil
}
