package publish

import (
	"archive/zip"
	"context"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/filetype"
)

// IsWebsite reports whether the file of a live link that anyone can open looks
// like a website: a ZIP with an index.html at its top, or in the folder that
// holds everything. It reads only the directory of the ZIP; Deploy has the last
// word. A file that cannot be read is none: its page says what is wrong with
// it.
func (s *Uploads) IsWebsite(ctx context.Context, l *vitrine.Link) bool {
	if t, _ := filetype.ByExt(l.Name); t.Ext != "zip" || !l.Live() || l.Access.Gated() || !l.HasBytes {
		return false
	}
	blob, err := access.OpenWhole(ctx, s.Blobs, l)
	if err != nil {
		return false
	}
	defer blob.Close()
	z, err := zip.NewReader(blob, blob.Size())
	if err != nil || len(z.File) > filetype.MaxSiteEntries {
		return false
	}
	var paths []string
	for _, f := range z.File {
		if name := strings.TrimPrefix(f.Name, "./"); !strings.HasSuffix(name, "/") && !hiddenPath(name) {
			paths = append(paths, name)
		}
	}
	return startsWebsite(paths)
}

// hiddenPath reports whether systems put a file there that no website serves.
func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "__MACOSX"
	})
}

// startsWebsite reports whether files have an index.html at their root. Folders
// that hold everything are not part of it.
func startsWebsite(paths []string) bool {
	for len(paths) > 0 && !slices.Contains(paths, "index.html") {
		top, _, within := strings.Cut(paths[0], "/")
		if !within {
			return false
		}
		for i, p := range paths {
			rest, ok := strings.CutPrefix(p, top+"/")
			if !ok {
				return false
			}
			paths[i] = rest
		}
	}
	return len(paths) > 0
}

// Deploy deploys the ZIP of a link to a website of the same account, as a
// version. The bytes are copied in storage and checked and limited like those
// of an upload. The link stays as it is. If Deploy fails, nothing of the copy
// remains. Errors: those of Create and Complete.
func (s *Uploads) Deploy(ctx context.Context, a *vitrine.Account, l *vitrine.Link,
	website vitrine.Slug) (version *vitrine.Link, err error) {
	if !l.Live() {
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "Only a live link can become a website.")
	}
	if l.Access.Gated() {
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Anyone can open a website. First remove what readers need to open this link.")
	}
	r := UploadRequest{Name: "website.zip", Type: "application/zip", Size: l.Size, Website: string(website)}
	begun, err := s.Create(ctx, a, r)
	defer func() {
		if err != nil && begun.Path != "" { // nobody continues the upload
			_ = s.Cancel(context.WithoutCancel(ctx), a, string(begun.Path))
			err = vitrine.UnavailableAfter(err)
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := s.copyBytes(ctx, l, begun.Path); err != nil {
		return nil, err
	}
	return s.Complete(ctx, a, CompleteRequest{Path: string(begun.Path), Name: r.Name, Type: r.Type,
		Website: r.Website})
}

// copyBytes copies the bytes of a link to an upload.
func (s *Uploads) copyBytes(ctx context.Context, l *vitrine.Link, to vitrine.UploadID) error {
	from, err := access.OpenWhole(ctx, s.Blobs, l)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := s.Blobs.Import(ctx, to, l.Size, from); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}
