package preview

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/xuri/excelize/v2"
)

// columns finds hidden columns. The library supports that only for sheets that
// are loaded completely.
type columns struct {
	book  *excelize.File
	files map[string]*zip.File
	paths map[string]string // paths of sheets by name
}

// relations is the relationships part of an xlsx file.
type relations struct {
	List []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

func columnsOf(f *excelize.File, r io.ReaderAt, size int64) (*columns, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	c := &columns{book: f, files: map[string]*zip.File{}, paths: map[string]string{}}
	for _, file := range z.File {
		c.files[strings.ReplaceAll(file.Name, `\`, "/")] = file
	}
	var root, sheets relations
	if err := c.read("_rels/.rels", &root); err != nil {
		return nil, err
	}
	for _, r := range root.List {
		if !strings.HasSuffix(r.Type, "/officeDocument") {
			continue
		}
		book := target("", r.Target)
		if err := c.read(path.Join(path.Dir(book), "_rels", path.Base(book)+".rels"), &sheets); err != nil {
			return nil, err
		}
		of := map[string]string{}
		for _, r := range sheets.List {
			of[r.ID] = target(path.Dir(book), r.Target)
		}
		for _, s := range f.WorkBook.Sheets.Sheet {
			c.paths[s.Name] = of[s.ID]
		}
		return c, nil
	}
	return nil, errors.New("the file has no workbook")
}

// target returns the path of a related part. A relative name is resolved in
// dir.
func target(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if !path.IsAbs(name) {
		name = path.Join("/", dir, name)
	}
	return strings.TrimPrefix(path.Clean(name), "/")
}

func (c *columns) open(name string) (io.ReadCloser, *xml.Decoder, error) {
	file := c.files[name]
	if file == nil {
		return nil, nil, fmt.Errorf("no %q in it", name)
	}
	r, err := file.Open()
	if err != nil {
		return nil, nil, err
	}
	d := xml.NewDecoder(r)
	d.CharsetReader = c.book.CharsetReader
	return r, d, nil
}

func (c *columns) read(name string, v any) error {
	r, d, err := c.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	return d.Decode(v)
}

// hidden reports which columns of a sheet are hidden. It reads only the
// beginning of the sheet, before its cells.
func (c *columns) hidden(sheet string) ([]bool, error) {
	r, d, err := c.open(c.paths[sheet])
	if err != nil {
		return nil, err
	}
	defer r.Close()
	hidden := make([]bool, excelize.MaxColumns)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return hidden, nil
		}
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "sheetData":
			return hidden, nil
		case "col":
			var span struct {
				Min    int  `xml:"min,attr"`
				Max    int  `xml:"max,attr"`
				Hidden bool `xml:"hidden,attr"`
			}
			if err := d.DecodeElement(&span, &start); err != nil {
				return nil, err
			}
			for i := max(span.Min, 1); span.Hidden && i <= min(span.Max, len(hidden)); i++ {
				hidden[i-1] = true
			}
		}
	}
}

// visible returns the cells without those in hidden columns.
func visible(cells []string, hidden []bool) []string {
	shown := cells[:0]
	for i, c := range cells {
		if i >= len(hidden) || !hidden[i] {
			shown = append(shown, c)
		}
	}
	return shown
}
