package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/inspect"
)

// fileFD is the file descriptor of the input file in a child.
const fileFD = 3

// Child runs the hidden command preview in a process that a Maker has started.
// It permanently restricts this process. It returns only errors of the machine.
// For those the caller prints the error as the last line and exits with code 1.
// An unreadable file is not an error.
func Child(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("only the server runs this command: %w", err)
	}
	os.Clearenv()
	os.Setenv("TMPDIR", filepath.Join(o.Dir, workDir))
	unlimited, err := o.fence()
	if err != nil {
		return err
	}
	fmt.Println(begun)
	for _, what := range unlimited {
		fmt.Println(unlimitedMark + what)
	}
	if o.Ext == "" {
		return o.fillCache()
	}
	j := &job{order: o, file: os.NewFile(fileFD, "file")}
	return j.settle(j.open())
}

// job is the work on one file in a child.
type job struct {
	order
	file  *os.File // use only ReadAt: the server shares the file position
	size  int64
	facts filetype.Facts
}

// machineError is an error of the machine. All other errors in a child are
// caused by the file.
type machineError struct{ error }

func (t machineError) Unwrap() error { return t.error }

// settle returns err if it is an error of the machine. For an error of the file
// it returns nil, and prints the error if a program failed.
func (j *job) settle(err error) error {
	failed := new(exec.ExitError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(machineError)):
		return err
	case room(j.Dir) < mib:
		return fmt.Errorf("no space for previews: %w", err)
	case errors.As(err, &failed):
		fmt.Println(err)
	}
	return nil
}

// open inspects the file again, because the child knows only its name, and
// makes its parts.
func (j *job) open() error {
	st, err := j.file.Stat()
	if err != nil {
		return machineError{err}
	}
	j.size = st.Size()
	t, ok := filetype.ByExt("." + j.Ext)
	if !ok {
		return fmt.Errorf("no type %q", j.Ext)
	}
	if j.facts, err = inspect.Inspect(j.file, j.size, t); err != nil {
		if p := new(filetype.Problem); errors.As(err, &p) {
			return p
		}
		return machineError{err}
	}
	return j.make()
}

func (j *job) make() error {
	is := func(list []string) bool { return slices.Contains(list, j.Ext) }
	switch {
	case j.Ext == "pdf":
		return j.pdfParts(j.reader(), j.size)
	case is(rasters):
		return j.raster()
	case j.Ext == "tiff":
		return j.scan()
	case j.Ext == "heic":
		return j.heic()
	case j.Ext == "avif":
		return j.avif()
	case is(videos):
		return j.video()
	case is(sounds):
		return j.cover()
	case paged(j.Ext):
		return j.pages()
	case j.Ext == "xlsx":
		return j.sheets(j.reader())
	case is(oldTables):
		return j.oldSheets()
	case is(archives):
		return j.entries()
	}
	return nil
}

func (j *job) reader() *io.SectionReader { return io.NewSectionReader(j.file, 0, j.size) }

// put writes a part with write. The part becomes visible atomically when it is
// complete.
func (j *job) put(p vitrine.Part, write func(io.Writer) error) error {
	path := filepath.Join(j.Dir, outDir, string(p))
	f, err := os.Create(path + ".part")
	if err != nil {
		return machineError{err}
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return machineError{fmt.Errorf("write part %s: %w", p, err)}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return machineError{err}
	}
	return nil
}

func (j *job) putJSON(p vitrine.Part, v any) error {
	return j.put(p, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// work returns a path in the child's own directory.
func (j *job) work(name string) string { return filepath.Join(j.Dir, workDir, name) }

// copyTo writes a copy of the file for a program, if limits and disk space
// permit.
func (j *job) copyTo(path string) error {
	if j.size > maxWritten {
		return fmt.Errorf("a file of %d bytes", j.size)
	}
	if room(j.Dir) < j.size+mib {
		return machineError{fmt.Errorf("no space for previews: a file has %d bytes", j.size)}
	}
	f, err := os.Create(path)
	if err != nil {
		return machineError{err}
	}
	if _, err := io.Copy(f, j.reader()); err != nil {
		f.Close()
		return machineError{err}
	}
	if err := f.Close(); err != nil {
		return machineError{err}
	}
	return nil
}

// exec runs a program and returns its output, limited to most bytes. The
// program has the limits of this process and is killed with it.
func (j *job) exec(most int, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var said outputLines
	out := &bounded{max: most, over: cancel}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = filepath.Join(j.Dir, workDir)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + cmd.Dir, "TMPDIR=" + cmd.Dir,
		"XDG_CACHE_HOME=" + cmd.Dir,
		"SAL_USE_VCLPLUGIN=svp"}
	cmd.ExtraFiles = []*os.File{j.file} // becomes fileFD
	cmd.Stdout, cmd.Stderr = out, &said
	if err := cmd.Run(); err != nil {
		return nil, programError(cmd, err, said.String())
	}
	return out.Bytes(), nil
}

// bounded is a buffer that discards output beyond a limit.
type bounded struct {
	bytes.Buffer
	max  int
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.max {
		b.over()
		return 0, errors.New("too much output")
	}
	return b.Buffer.Write(p)
}
