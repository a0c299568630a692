package geo

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/base/durable"
)

// DownloadRoot is the address of DB-IP's free files.
const DownloadRoot = "https://download.db-ip.com/free"

const (
	// fetchTimeout is the time limit for a download of about 60 MB.
	fetchTimeout = 30 * time.Minute
	// maxFileBytes is the size limit for an unpacked download of about 130 MB.
	maxFileBytes = 512 << 20
)

// Fetched describes a downloaded city file.
type Fetched struct {
	From, Kind string
	Built      time.Time
	Size       int64
}

// errNoCityFile is returned if the server does not have the file.
var errNoCityFile = errors.New("not found")

// Fetch downloads DB-IP's City Lite of this month, or of last month if this
// month's is not published yet. It verifies the complete file with test
// lookups, then replaces the file at path atomically. If it fails, the file at
// path stays unchanged.
func Fetch(ctx context.Context, root, path string, now time.Time) (*Fetched, error) {
	ctx, done := context.WithTimeout(ctx, fetchTimeout)
	defer done()
	root = strings.TrimSuffix(root, "/")
	if !safeRoot(root) {
		return nil, fmt.Errorf("%q is not an address that begins with https://, as every mirror on another machine must", root)
	}
	month := time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	var missing []string
	for _, m := range []time.Time{month, month.AddDate(0, -1, 0)} {
		address := root + "/dbip-city-lite-" + m.Format("2006-01") + ".mmdb.gz"
		f, err := fetch(ctx, address, path)
		if !errors.Is(err, errNoCityFile) {
			if err != nil {
				err = fmt.Errorf("fetch %s: %w", address, err)
			}
			return f, err
		}
		missing = append(missing, address)
	}
	return nil, fmt.Errorf("there is no city file at %s", strings.Join(missing, ", nor at "))
}

// safeRoot reports whether nobody on the way can put another file in the place
// of the one at an address: it is TLS, or this machine.
func safeRoot(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	addr, _ := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (addr.IsLoopback() || u.Hostname() == "localhost")
}

// secureClient follows only redirects to safe addresses.
var secureClient = &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
	if !safeRoot(req.URL.String()) {
		return fmt.Errorf("it leads to %s, which is not https", req.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}}

func fetch(ctx context.Context, address, path string) (*Fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "vitrine")
	res, err := secureClient.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("nothing listens at %s", req.URL.Host)
	} else if e := new(url.Error); errors.As(err, &e) {
		return nil, e.Err // the caller names the address
	} else if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, errNoCityFile
	default:
		return nil, fmt.Errorf("the server answered %s", res.Status)
	}
	unpacked, err := gzip.NewReader(res.Body)
	if err != nil {
		return nil, fmt.Errorf("what the server sent is not a gzip file (%w)", err)
	}
	dir, name := filepath.Dir(path), tempName(path)
	sweep(path)
	temp, err := os.CreateTemp(dir, name)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // no effect after the rename
	locked, err := durable.Lock(temp, durable.Hold{})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(err, temp.Close())
	}
	n, err := io.Copy(temp, io.LimitReader(unpacked, maxFileBytes+1))
	if err == nil && n > maxFileBytes {
		err = errors.New("the file is larger than any city file")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the download was cut off")
	}
	// All users may read the file, because the server may run as another user.
	if err := errors.Join(err, temp.Chmod(0o644), durable.Sync(temp), locked.Close()); err != nil {
		return nil, err
	}
	kind, built, err := Check(temp.Name())
	if err != nil {
		return nil, err
	}
	if err := durable.Rename(temp.Name(), path); err != nil {
		return nil, err
	}
	return &Fetched{address, kind, built, n}, durable.SyncDir(dir)
}

// tempName is the pattern of the names of unfinished downloads of a file.
func tempName(path string) string { return "." + filepath.Base(path) + "-*" }

// sweep deletes what interrupted downloads of a file left. A download in
// progress holds a lock on its file.
func sweep(path string) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), tempName(path)))
	for _, name := range left {
		if f, err := os.Open(name); err == nil {
			l, err := durable.Lock(f, durable.Hold{})
			if err == nil {
				_ = os.Remove(name)
			}
			_ = l.Close()
		}
	}
}
