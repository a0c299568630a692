package archive

import (
	"bufio"
	"path"
	"strings"
	"unicode/utf8"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"

	"golang.org/x/text/encoding"
)

// zipNames decodes the names of a ZIP. The format has two encodings and nobody
// keeps to them: Windows writes names in the encoding of its language.
type zipNames struct {
	legacy encoding.Encoding // of names that are not UTF-8; nil if there are none
}

// maxNameSample is from how many bytes of names their encoding is guessed.
const maxNameSample = 16 * filetype.KiB

// namesOf guesses the encoding of a directory's names from all of them.
func namesOf(s *filetype.Source, d zipDirectory) zipNames {
	var sample []byte
	r := bufio.NewReaderSize(s.Section(d.offset, d.Size), filetype.ChunkBytes)
	for left := d.Size; left > 0 && len(sample) < maxNameSample; {
		m, length, _, ok := ReadMember(r)
		if !ok {
			break
		}
		left -= length
		if !utf8.ValidString(m.Stored) {
			sample = append(append(sample, m.Stored...), '\n')
		}
	}
	if sample == nil {
		return zipNames{}
	}
	return zipNames{text.CharsetOf(sample, false)}
}

// of returns a name in UTF-8 with slashes. The name of an extra field counts if
// it has the same extension: programs that do not know the field must see the
// same kind of file.
func (z zipNames) of(stored, alias string) string {
	name := stored
	if z.legacy != nil && !utf8.ValidString(stored) {
		if decoded, err := z.legacy.NewDecoder().String(stored); err == nil {
			name = decoded
		}
	}
	name, alias = slashed(name), slashed(alias)
	if alias == "" || !utf8.ValidString(alias) || !strings.EqualFold(path.Ext(alias), path.Ext(name)) ||
		strings.HasSuffix(alias, "/") != strings.HasSuffix(name, "/") {
		return name
	}
	return alias
}

// slashed returns a name with slashes. .NET and Windows PowerShell write
// backslashes, which the programs that unpack read as separators.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// ShownName returns a name of an archive without a directory of names in UTF-8.
func ShownName(stored string) string {
	if utf8.ValidString(stored) {
		return stored
	}
	return text.Decode([]byte(stored), false)
}

// SameName reports whether a listed name may be that of a member, as another
// library reads it. Names in other encodings, and those of extra fields, follow
// only from the whole directory.
func SameName(listed, stored string) bool {
	return !utf8.ValidString(stored) || strings.EqualFold(path.Ext(listed), path.Ext(slashed(stored)))
}
