package content

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report/part"
)

// entry is a file in an archive, read from the archive's sealed bytes.
type entry struct {
	filetype.Entry
	viewer *viewer.Viewer
	bytes  io.ReadSeeker
	packed bool // ranges of it cost as much as all before them, which bytes may read once
	tag    string
	close  func()
}

type entryHandler func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, e entry) error

// onEntry finds an archive entry by its index in the listing, to show it.
// Entries without a viewer are refused.
func (s *Handler) onEntry(h entryHandler) httpx.HandlerFunc {
	return s.OnContent(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		if httpx.Navigated(r) {
			return s.toPage(w, r, l)
		}
		return s.withEntry(w, r, l, h)
	})
}

func (s *Handler) withEntry(w http.ResponseWriter, r *http.Request, l *vitrine.Link, h entryHandler) error {
	i, err := strconv.Atoi(r.PathValue("entry"))
	if err != nil {
		return httpx.ErrNoPage
	}
	listed, err := s.Viewers.Entry(r, l, i)
	if err != nil {
		return err
	}
	v := viewer.EntryViewer(l, listed)
	if v == nil {
		return httpx.ErrNoPage
	}
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	e := entry{Entry: listed, viewer: v, tag: fmt.Sprintf(`"%.16s-entry-%d"`, l.SHA256, i)}
	switch t, _ := filetype.ByExt(l.Name); t.Ext {
	case "tar":
		err = e.fromTar(blob, i)
	case "zip":
		err = e.fromZip(blob, i)
	default:
		err = e.unpack(r, s.Server.LimitedAddr(r), blob, t, i)
	}
	if e.close != nil {
		defer e.close()
	}
	if err != nil {
		return err
	}
	return h(w, r, l, e)
}

// fromZip finds an entry by the directory at the end of a ZIP.
func (e *entry) fromZip(blob vitrine.Blob, i int) error {
	z, err := zip.NewReader(blob, blob.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return vitrine.Unavailable(err)
	}
	if i >= len(z.File) {
		return httpx.ErrNoPage
	}
	f := z.File[i]
	at, err := f.DataOffset()
	switch {
	case err != nil:
		return vitrine.Unavailable(err)
	case !archive.SameName(e.Name, f.Name), f.UncompressedSize64 != uint64(e.Size), f.Flags&1 != 0,
		at < 0 || f.CompressedSize64 > uint64(blob.Size()-at):
		return httpx.ErrNoPage // read in another way than when it was listed
	}
	part := io.NewSectionReader(blob, at, int64(f.CompressedSize64))
	switch f.Method {
	case zip.Store:
		e.bytes = part
	case zip.Deflate:
		unpacked := &unpackedFile{packed: part, size: e.Size}
		e.bytes, e.packed, e.close = unpacked, true, func() { _ = unpacked.Close() }
	default:
		return httpx.ErrNoPage
	}
	return nil
}

// fromTar finds an entry by the headers before it.
func (e *entry) fromTar(blob vitrine.Blob, i int) error {
	in := io.NewSectionReader(blob, 0, blob.Size())
	t := tar.NewReader(in)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return httpx.ErrNoPage
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return vitrine.Unavailable(err)
		}
		if h != nil && h.Typeflag == tar.TypeXGlobalHeader { // it is not listed
			n--
			continue
		}
		if n < i {
			continue
		}
		at, err := in.Seek(0, io.SeekCurrent)
		if err != nil || h.Typeflag != tar.TypeReg || archive.ShownName(h.Name) != e.Name || h.Size != e.Size {
			return httpx.ErrNoPage
		}
		e.bytes = io.NewSectionReader(blob, at, h.Size)
		return nil
	}
}

// unpacks bounds how many archives are unpacked for readers at once, which
// takes time and, of a 7z archive, the memory of a dictionary. members bounds
// how many entries are in memory until they are sent: those of 7z archives, of
// at most // filetype.MaxMember bytes each. A network has only some of the
// turns, so that none holds up the others, however slowly its clients read.
var (
	unpacks = throttle.NewTurnsEach[netip.Prefix](2, 1)
	members = throttle.NewTurnsEach[netip.Prefix](8, 2)
)

// unpack finds an entry of an archive that is packed as a whole.
func (e *entry) unpack(r *http.Request, from netip.Addr, blob vitrine.Blob, t filetype.Type, i int) error {
	network := throttle.Subscriber(from)
	if t.Ext == "7z" {
		if err := httpx.TakeTurn(r, members, network); err != nil {
			return err
		}
		e.close = func() { members.Release(network) }
	}
	if err := httpx.TakeTurn(r, unpacks, network); err != nil {
		return err
	}
	defer unpacks.Release(network)
	name, content, err := inspect.Member(blob, blob.Size(), t, i)
	switch {
	case errors.Is(err, inspect.ErrNotReadable):
		return httpx.ErrNoPage
	case err != nil:
		return vitrine.Unavailable(err)
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil || name != e.Name || size != e.Size {
		return httpx.ErrNoPage // read in another way than when it was listed
	}
	e.bytes = content
	_, stored := content.(io.ReaderAt)
	e.packed = !stored
	_, err = content.Seek(0, io.SeekStart)
	return err
}

// Entry answers with the frame that shows a file in an archive.
func (s *Handler) Entry() httpx.HandlerFunc {
	return s.onEntry(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, e entry) error {
		here := r.PathValue("entry") + "/"
		query := ""
		if r.URL.Query().Has("embed") {
			query = httpx.EmbedQuery
		}
		if e.viewer.Frame != nil {
			return httpx.SeeOther(w, r, here+"view"+query)
		}
		p := inertPage{Title: e.Name, Styles: httpx.Origin(s.Server.ContentURL)}
		p.Sheets = e.viewer.Entries.Styles
		for _, script := range []string{"viewer/html/frame.js", "viewer/tree/frame.js"} {
			p.Scripts = append(p.Scripts, p.Styles+ui.AssetPath(script))
		}
		if e.viewer.Entries.Text {
			content, err := io.ReadAll(io.LimitReader(e.bytes, viewer.MaxText))
			if err != nil {
				return vitrine.Unavailable(err)
			}
			cut := e.Size > int64(len(content))
			err = s.Viewers.LayOut(r, func() { p.Content = viewer.Arrange(e.Name, text.Decode(content, cut), cut) })
			if err != nil {
				return err
			}
		} else {
			p.File = here + "bytes"
		}
		s.Server.SetPolicy(w, r, httpx.PreviewFrame, "sandbox", viewer.FrameSandbox)
		return s.writeInert(w, r, e.viewer.Inert, p)
	})
}

// EntryFrame answers with the viewer of an entry that has a frame of its own.
func (s *Handler) EntryFrame() httpx.HandlerFunc {
	return s.onEntry(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, e entry) error {
		f := e.viewer.Frame
		if f == nil {
			return httpx.ErrNoPage
		}
		return s.frame(w, r, l, f,
			framePage{File: "bytes", Size: e.Size, Prints: l.AllowDownload, Unit: string(part.Page)})
	})
}

// EntryBytes sends a file in an archive to its viewer.
func (s *Handler) EntryBytes() httpx.HandlerFunc {
	return s.onEntry(func(w http.ResponseWriter, r *http.Request, _ *vitrine.Link, e entry) error {
		t, _ := filetype.ByExt(e.Name)
		if e.viewer.Entries.Text {
			return httpx.ErrNoPage // its frame holds it
		}
		h := w.Header()
		h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
		s.Server.SetPolicy(w, r, httpx.FileBytes)
		h.Set("Content-Type", filetype.ContentType(t))
		h.Set("Content-Disposition", "inline")
		e.send(w, r)
		return nil
	})
}

// EntryFile sends a file in an archive as a download, if the link allows
// downloads.
func (s *Handler) EntryFile() httpx.HandlerFunc {
	return s.OnContent(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		switch {
		case !l.AllowDownload && httpx.Navigated(r):
			return s.toPage(w, r, l)
		case !l.AllowDownload:
			return httpx.ErrNoPage
		}
		return s.withEntry(w, r, l, func(w http.ResponseWriter, r *http.Request, _ *vitrine.Link, e entry) error {
			s.Server.SetPolicy(w, r, httpx.FileBytes)
			h := w.Header()
			h.Set("Content-Type", filetype.Unknown)
			h.Set("Content-Disposition", httpx.Disposition("attachment", strings.ReplaceAll(e.Name, `\`, "/")))
			e.send(w, r)
			return nil
		})
	})
}

// send sends the bytes of the file, whole or in ranges.
func (e *entry) send(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", e.tag)
	if e.packed && strings.Contains(r.Header.Get("Range"), ",") {
		r = r.Clone(r.Context())
		r.Header.Del("Range") // each range would be unpacked from the beginning
	}
	http.ServeContent(w, r, "", time.Time{}, e.bytes)
}
