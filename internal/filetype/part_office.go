package filetype

import (
	"path"
	"strings"
)

// officeElement judges an element of an OOXML part.
func (w *partWatch) officeElement(t *markupTag) *Problem {
	switch t.name {
	case "Relationship":
		return w.relationship(t)
	case "Override", "Default":
		if w.root == "Types" && strings.Contains(strings.ToLower(t.attr("ContentType")), "activex") {
			w.facts.hold(HoldActiveContent)
		}
	case "instrText", "delInstrText":
		w.text = !t.empty
	case "fldSimple":
		if p := w.facts.field(t.attr("instr")); p != nil {
			return p
		}
		if !t.empty {
			w.fields.begin()
			w.fields.separate()
		}
	case "fldChar":
		switch strings.ToLower(t.attr("fldCharType")) {
		case "begin":
			w.fields.begin()
		case "separate":
			return w.facts.field(w.fields.separate())
		case "end":
			return w.facts.field(w.fields.end())
		}
	case "ddeLink":
		return w.facts.dde(t.attr("ddeService") + " " + t.attr("ddeTopic"))
	case "hlinkClick", "hlinkHover", "hlinkMouseOver":
		if action := strings.ToLower(t.attr("action")); strings.HasPrefix(action, "ppaction://program") {
			w.facts.holdAbout(HoldProgramAction, w.name)
		}
	case "binData", "binaryData", "docSuppData", "docOleData":
		// A document in one XML file, within another.
		if name := strings.ToLower(t.attr("name")); t.name == "docSuppData" || strings.HasSuffix(name, ".mso") {
			return macroProblem()
		}
	}
	return nil
}

// harmlessRelations may lead anywhere: a click follows them, or a picture, film or table is loaded by them. Every other one loads a
// part of the document itself.
var harmlessRelations = map[string]bool{
	"hyperlink": true, "image": true, "linkedimage": true, "video": true, "audio": true, "media": true, "movie": true,
	"externallinkpath": true, "xlpathmissing": true, "xlstartup": true, "xlalternatestartup": true, "xllibrary": true,
	"externallinklongpath": true, "mailmergesource": true, "mailmergeheadersource": true, "recipientdata": true,
	"transform": true, "attachedschema": true, "pivotcachedefinition": true, "slideupdateurl": true, "slideupdateinfo": true,
	"customxml": true, "officedocument": true, "thumbnail": true, "svg": true, "googlesheetsdata": true,
}

// relationship judges what a part refers to, by the last word of its type.
func (w *partWatch) relationship(t *markupTag) *Problem {
	kind, target := strings.ToLower(path.Base(t.attr("Type"))), t.attr("Target")
	switch {
	case strings.Contains(kind, "vbaproject"), strings.Contains(kind, "vbadata"), strings.Contains(kind, "macrosheet"):
		return macroProblem().about(target)
	case strings.HasPrefix(kind, "activexcontrol"):
		w.facts.holdAbout(HoldActiveContent, target)
	}
	if !strings.EqualFold(t.attr("TargetMode"), "External") {
		return nil
	}
	lower := strings.ToLower(target)
	switch {
	case kind == "hyperlink":
		if handlers.MatchString(target) {
			w.facts.holdAbout(HoldScriptReference, target)
		}
	case handlers.MatchString(target), strings.Contains(lower, "!x-usc:"), kind == "oleobject" && strings.HasSuffix(lower, "!") && remoteHost(target) != "":
		return unsafeFile(ReasonObjectExploit, "The document loads an object by an address made to run a program. Remove it and save the document again.").about(target)
	case kind == "image" && strings.HasPrefix(strings.ReplaceAll(lower, `\`, "/"), "//") && remoteHost(target) != "",
		kind == "image" && strings.HasPrefix(lower, "file:") && remoteHost(target) != "":
		w.facts.holdAbout(HoldExternalObject, target)
	case harmlessRelations[kind] || remoteHost(target) == "":
	case kind == "attachedtemplate":
		w.facts.holdAbout(HoldExternalTemplate, target)
	default:
		w.facts.holdAbout(HoldExternalObject, target)
	}
	return nil
}

// calls are how an OpenDocument file refers to a script or command of the program that opens it.
var calls = []string{"vnd.sun.star.script:", "macro:", "vnd.sun.star.expand:", "vnd.libreoffice.command:", ".uno:", "slot:", "service:"}

// openElement judges an element of a part of an OpenDocument file.
func (w *partWatch) openElement(t *markupTag) *Problem {
	if !strings.HasPrefix(w.root, "document") {
		return nil
	}
	href := strings.TrimSpace(t.attr("href"))
	switch t.name {
	case "dde-connection-decl", "dde-source":
		return w.facts.dde(t.attr("dde-application") + " " + t.attr("dde-topic"))
	case "applet":
		w.facts.hold(HoldActiveContent)
	case "floating-frame", "section-source", "object", "object-ole":
		if remoteHost(href) != "" {
			w.facts.holdAbout(HoldExternalObject, href)
		}
	}
	lower := strings.ToLower(href)
	for _, call := range calls {
		if strings.HasPrefix(lower, call) {
			w.facts.holdAbout(HoldScriptReference, href)
		}
	}
	if handlers.MatchString(href) {
		w.facts.holdAbout(HoldScriptReference, href)
	}
	return nil
}
