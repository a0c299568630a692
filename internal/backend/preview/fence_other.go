//go:build !linux

package preview

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"time"

	"vitrine"
)

// Other systems limit only the time of a child.

const namespaces = false

func attributes(bool) *syscall.SysProcAttr { return nil }

func killAll(p *os.Process) error { return p.Kill() }

func openPart(path string) (*os.File, error) { return os.Open(path) }

func linked(os.FileInfo) bool { return false }

func sameFile(vitrine.Blob) (*os.File, error) { return nil, nil }

func (o *order) fence() (unlimited []string, err error) {
	debug.SetMemoryLimit(goMemory)
	o.Office, o.FFmpeg, o.Heif = "", "", ""
	return []string{"previews are only limited in time: this system is not Linux", noPrograms}, nil
}

func room(string) int64 { return math.MaxInt64 }

func isShortage(error) bool { return false }

func groupTime(int) time.Duration { return 0 }

// begunAt is the start time of the process. It replaces CPU time, which is
// unknown on these systems.
var begunAt = time.Now()

func ownTime() time.Duration { return time.Since(begunAt) }

func programError(cmd *exec.Cmd, err error, out string) error {
	return fmt.Errorf("%s: %w (%s)", cmd.Path, err, lastLine(out))
}
