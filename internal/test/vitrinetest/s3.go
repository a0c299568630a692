package vitrinetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/test/tier"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// S3Server is an S3 server for tests: a real one, versitygw, on a directory. It
// ends with this process, however that ends.
type S3Server struct {
	Endpoint    string // http://host:port
	Key, Secret string

	dir, program string
	meta         string // its directory of object metadata
	buckets      atomic.Int64
	api          *sdk.Client

	keeper *exec.Cmd
	tell   io.Closer
	output outputBuffer
}

// s3Prefix is the prefix of an instance's files in its bucket.
const s3Prefix = "site"

// s3Start is how long a server may take to listen.
const s3Start = 30 * time.Second

// s3Keeper runs the server until this process closes the pipe or is gone, and
// then removes its directory. Nothing reads its output by then.
const s3Keeper = `"$0" "$@" & pid=$!; read -r _; exec >/dev/null 2>&1; kill -KILL $pid; wait $pid; rm -rf "$PWD"`

// S3 starts a server for one test and stops it with the test. Most tests share
// one: [SharedS3].
func S3(t testing.TB) *S3Server {
	t.Helper()
	s := newS3(t)
	t.Cleanup(func() {
		s.end()
		if output := s.output.String(); t.Failed() && output != "" {
			t.Logf("output of versitygw:\n%s", output)
		}
	})
	return s
}

var sharedS3 struct {
	sync.Mutex
	server *S3Server
}

// SharedS3 returns the server that all tests of this process share. Each test
// uses its own buckets.
func SharedS3(t testing.TB) *S3Server {
	t.Helper()
	sharedS3.Lock()
	defer sharedS3.Unlock()
	if sharedS3.server == nil {
		sharedS3.server = newS3(t)
	}
	return sharedS3.server
}

func newS3(t testing.TB) *S3Server {
	t.Helper()
	tier.Need(t, tier.Test, "an S3 server")
	program, err := s3Program()
	if err != nil {
		Missing(t, err.Error())
	}
	for range clashes {
		s := &S3Server{Key: "vitrine", Secret: "vitrine-test-secret", program: program}
		if s.start(t) {
			s.api = sdk.New(sdk.Options{BaseEndpoint: &s.Endpoint, Region: "us-east-1", UsePathStyle: true,
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: s.Key, SecretAccessKey: s.Secret}, nil
				})})
			return s
		}
		s.end()
	}
	t.Fatal("no S3 server could be started")
	return nil
}

// s3Program returns the path of versitygw, which Go compiles on the first call.
var s3Program = sync.OnceValues(func() (string, error) {
	root, err := os.Getwd()
	for err == nil {
		dir := filepath.Join(root, "tools", "s3server")
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			cmd := exec.Command("go", "tool", "-n", "versitygw")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
			var output bytes.Buffer
			cmd.Stderr = &output
			out, err := cmd.Output()
			if err != nil {
				return "", fmt.Errorf("build versitygw in tools/s3server: %w: %s", err, output.Bytes())
			}
			return strings.TrimSpace(string(out)), nil
		}
		if filepath.Dir(root) == root {
			err = os.ErrNotExist
		}
		root = filepath.Dir(root)
	}
	return "", fmt.Errorf("tools/s3server: %w", err)
})

// start starts the program on a free port. It returns false if another process
// took the port.
func (s *S3Server) start(t testing.TB) bool {
	t.Helper()
	var err error
	if s.dir, err = os.MkdirTemp("", "s3"); err != nil {
		t.Fatal(err)
	}
	data, meta, users := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "meta"), filepath.Join(s.dir, "users")
	for _, d := range []string{data, meta, users} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.meta = meta
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s.Endpoint = "http://" + address
	s.keeper = exec.Command("/bin/sh", "-c", s3Keeper, s.program, "--port", address, "--quiet", "--health", "/health",
		"--iam-dir", users,
		"posix", "--sidecar", meta, data)
	s.keeper.Dir = s.dir
	s.keeper.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+s.Key, "ROOT_SECRET_KEY="+s.Secret)
	s.keeper.Stdout, s.keeper.Stderr = &s.output, &s.output
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt must only reach this process
	if s.tell, err = s.keeper.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.keeper.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(s3Start); ; {
		if res, err := http.Get(s.Endpoint + "/health"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-tick.C:
			if strings.Contains(s.output.String(), "in use") {
				return false
			}
		case <-late:
			t.Fatalf("versitygw does not answer: %s", s.output.String())
		}
	}
}

// end ends the server and waits until its directory is gone.
func (s *S3Server) end() {
	_ = s.tell.Close()
	_ = s.keeper.Wait()
}

// Freeze stops the server without closing its connections, as when its machine
// or disk hangs, until the returned function is called or the test ends.
func (s *S3Server) Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	tell := func(signal syscall.Signal) {
		if err := syscall.Kill(-s.keeper.Process.Pid, signal); err != nil {
			t.Errorf("signal versitygw: %v", err)
		}
	}
	tell(syscall.SIGSTOP)
	thaw = sync.OnceFunc(func() { tell(syscall.SIGCONT) })
	t.Cleanup(thaw)
	return thaw
}

// API returns a client of the server, for changes that the program does not
// know about.
func (s *S3Server) API() *sdk.Client { return s.api }

// Bucket creates a bucket and returns its name.
//
// The server removes a metadata directory with its last object, and answers
// InternalError to an object that is being stored there at that moment. So some
// objects always stay in the directories that are used first.
func (s *S3Server) Bucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("files-%d", s.buckets.Add(1))
	if _, err := s.api.CreateBucket(context.Background(), &sdk.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatalf("create a bucket: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(s.meta, name, s3Prefix, "incoming", "-"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// User creates a key without permissions and returns the address of a bucket
// with this key.
func (s *S3Server) User(t testing.TB, key, bucket string) (address string) {
	t.Helper()
	secret := key + "-secret"
	cmd := exec.Command(s.program, "admin", "--access", s.Key, "--secret", s.Secret, "--endpoint-url", s.Endpoint,
		"create-user", "--access", key, "--secret", secret, "--role", "user")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("create a user: %v: %s", err, output)
	}
	return strings.Replace(s.Address(bucket, ""), s.Key+":"+s.Secret, key+":"+secret, 1)
}

// Address returns the address of a bucket through endpoint, or through the
// server's own if it is "".
func (s *S3Server) Address(bucket, endpoint string) string {
	if endpoint == "" {
		endpoint = s.Endpoint
	}
	return fmt.Sprintf("s3://%s:%s@%s/%s?endpoint=%s&path-style=true", s.Key, s.Secret, bucket, s3Prefix,
		url.QueryEscape(endpoint))
}
