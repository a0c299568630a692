package text

import (
	"strings"
)

// scriptStarts are beginnings of scripts that systems run by name or by
// association. Languages without a mark of their own (JavaScript, Python
// without "#!") look like any text and are refused by extension only.
var scriptStarts = []struct{ prefix, what string }{
	{"@echo", "a Windows batch script"},
	{"@setlocal", "a Windows batch script"},
	{"@rem ", "a Windows batch script"},
	{"@cls\n", "a Windows batch script"},
	{"echo off", "a Windows batch script"},
	{"setlocal enable", "a Windows batch script"},
	{"tell application \"", "an AppleScript"},
	{"<?php", "a PHP script"},
	{"<?=", "a PHP script"},
	{"<%@", "a server page script"},
	{"<hta:application", "an HTML application"},
	{"<scriptlet", "a Windows script component"},
	{"windows registry editor version", "a Windows registry script"},
	{"regedit4", "a Windows registry script"},
	{"[internetshortcut]", "an Internet shortcut"},
	{"[desktop entry]", "a desktop shortcut"},
	{"[autorun]", "an autorun script"},
}

// shellCode matches the first line of code of a PowerShell script, basicCode
// that of VBScript or JScript.
var (
	shellCode = pattern(`^(\[cmdletbinding|param\s*\(|set-executionpolicy\s|\$erroractionpreference\s*=|set-strictmode\s` +
		`|import-module\s+\S+\s*$|add-type\s+-|invoke-expression[\s(]|iex\s*[($]|start-process\s+\S|powershell(\.exe)?\s+-|pwsh\s+-` +
		`|certutil(\.exe)?\s+-(urlcache|decode)\b|bitsadmin(\.exe)?\s+/transfer\b|mshta(\.exe)?\s+["']?(https?:|vbscript:|javascript:)|regsvr32(\.exe)?\s+/\S+\s+/` +
		`|(start\s+)?(/b\s+)?cmd(\.exe)?\s+/[ck]\s|wmic\s+process\s+call\s+create|&?\s*\(?\s*(gcm|get-command)\s+|\(new-object\s+(system\.)?net\.webclient\)` +
		`|\[(system\.)?net\.servicepointmanager\]|\$\w+\s*=\s*(\(?\s*new-object\s|\[system\.|get-)|function\s+[a-z]+-\w+\s*[({]?\s*$)`)
	basicCode = pattern(`^(option explicit\s*$|on error resume next\s*$|(set\s+\w+\s*=\s*)?(wscript\.)?(createobject|getobject)\s*\(` +
		`|wscript\.\w|(var\s+\w+\s*=\s*)?new activexobject\s*\(|execute(global)?\s*\()`)
	hostedScript = pattern(`^(<\?xml[^>]*>\s*)?(<\?component[^>]*>\s*)?<(job|package|component|scriptlet)\b`)
	tagScript    = pattern(`<script[^>]*\blanguage\s*=\s*["']?(vbs|vbscript|jscript)`)
	requires     = pattern(`^#requires\s+-`)
)

// ScriptIn returns the kind of script that text begins as, or "".
// filetype.ProgramAt handles "#!". A line that begins with "#" is a heading in
// Markdown; elsewhere it is a comment and is skipped.
func ScriptIn(text string, markdown bool) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, s := range scriptStarts {
		if strings.HasPrefix(text, s.prefix) {
			return s.what
		}
	}
	if hostedScript().MatchString(text) && tagScript().MatchString(text) {
		return "a Windows script"
	}
	line := firstCode(text, markdown)
	switch {
	case shellCode().MatchString(line) || requires().MatchString(line):
		return "a PowerShell script"
	case basicCode().MatchString(line):
		return "a Windows script"
	}
	return ""
}

// firstCode returns the first line of lower-case text that is neither a comment
// nor a declaration of PowerShell or VBScript.
func firstCode(text string, markdown bool) string {
	if strings.HasPrefix(text, "<#") {
		if _, after, ok := strings.Cut(text, "#>"); ok {
			text = after
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "'"), strings.HasPrefix(line, "rem "), strings.HasPrefix(line, "dim "),
			strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "#") && !markdown && !requires().MatchString(line):
		default:
			return line
		}
	}
	return ""
}
