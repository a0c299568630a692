package fold

import (
	"fmt"
	"io"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// sheet returns a style sheet with what it imports and shows inside it.
func (f *folding) sheet(name string, depth int) (string, error) {
	if depth > maxStyles {
		return "", &Problem{name, "its style sheets import each other too deeply"}
	}
	text, err := f.read(name)
	if err != nil {
		return "", err
	}
	out, err := f.styles(name, string(text), depth)
	if err == nil && strings.Contains(strings.ToLower(out), "</style") {
		err = &Problem{name, "it contains </style, which would end it inside a page"}
	}
	return out, err
}

// styles folds the text of a style, of a file of the folder.
func (f *folding) styles(from, text string, depth int) (string, error) {
	var out strings.Builder
	lexer := css.NewLexer(parse.NewInputString(text))
	for {
		kind, token := lexer.Next()
		var err error
		switch {
		case kind == css.ErrorToken:
			if lexer.Err() != io.EOF {
				return "", &Problem{from, fmt.Sprintf("its style sheet cannot be parsed: %v", lexer.Err())}
			}
			return out.String(), nil
		case kind == css.AtKeywordToken && strings.EqualFold(string(token), "@import"):
			err = f.resolveImport(from, lexer, &out, depth)
		case kind == css.URLToken:
			var to string
			to, err = f.embedded(from, urlText(string(token)))
			out.WriteString(`url("` + to + `")`)
		case kind == css.BadURLToken || kind == css.BadStringToken:
			err = &Problem{from, fmt.Sprintf("its style sheet has an unterminated address or string: %.40s", token)}
		default:
			out.Write(token)
		}
		if err != nil {
			return "", err
		}
	}
}

// resolveImport replaces an @import by the styles that it names.
func (f *folding) resolveImport(from string, lexer *css.Lexer, out *strings.Builder, depth int) error {
	address, rest := "", ""
	for {
		kind, token := lexer.Next()
		switch {
		case kind == css.ErrorToken || kind == css.SemicolonToken:
			return f.inline(from, address, strings.TrimSpace(rest), out, depth)
		case address == "" && kind == css.URLToken:
			address = urlText(string(token))
		case address == "" && kind == css.StringToken:
			address = strings.Trim(string(token), `"'`)
		default:
			rest += string(token)
		}
	}
}

func (f *folding) inline(from, address, media string, out *strings.Builder, depth int) error {
	name, err := f.target(from, address)
	if err != nil {
		return err
	}
	if name == "" {
		fmt.Fprintf(out, "@import url(%q) %s;", address, media)
		return nil
	}
	text, err := f.sheet(name, depth+1)
	switch {
	case err != nil:
		return err
	case strings.Contains(media, "layer") || strings.Contains(media, "supports"):
		return &Problem{from, fmt.Sprintf("it imports %s with %q, which cannot be folded. Bundle the styles into one",
			name, media)}
	case media != "":
		text = "@media " + media + " {" + text + "}"
	}
	out.WriteString(text)
	return nil
}

// urlText returns the address in a url().
func urlText(token string) string {
	token = strings.TrimSuffix(token[strings.Index(token, "(")+1:], ")")
	return strings.Trim(strings.TrimSpace(token), `"'`)
}
