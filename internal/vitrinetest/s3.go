package vitrinetest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/vitrinetest/tier"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// S3Server is an S3 server of a test's own: a real one, versitygw, on a directory.
type S3Server struct {
	Endpoint    string // http://host:port
	Key, Secret string

	program string
	meta    string // where it keeps what it knows of objects
	buckets atomic.Int64
	api     *sdk.Client
}

// s3Prefix is where in its bucket an instance keeps its files.
const s3Prefix = "site"

// s3Start is how long a server may take to listen.
const s3Start = 30 * time.Second

// S3 starts a server and ends it with the test.
func S3(t testing.TB) *S3Server {
	t.Helper()
	tier.Need(t, tier.Test, "an S3 server")
	program, err := s3Program()
	if err != nil {
		Missing(t, err.Error())
	}
	s := &S3Server{Key: "vitrine", Secret: "vitrine-test-secret", program: program}
	for range clashes {
		if s.start(t) {
			s.api = sdk.New(sdk.Options{BaseEndpoint: &s.Endpoint, Region: "us-east-1", UsePathStyle: true,
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: s.Key, SecretAccessKey: s.Secret}, nil
				})})
			return s
		}
	}
	t.Fatal("no S3 server could be started")
	return nil
}

// s3Program is where versitygw is, which Go compiles when it is asked for it the first time.
var s3Program = sync.OnceValues(func() (string, error) {
	root, err := os.Getwd()
	for err == nil {
		dir := filepath.Join(root, "tools", "s3server")
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			cmd := exec.Command("go", "tool", "-n", "versitygw")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				return "", fmt.Errorf("versitygw could not be built in tools/s3server: %w: %s", err, said.Bytes())
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

// start starts the program on a port that is free; false when somebody else took it.
func (s *S3Server) start(t testing.TB) bool {
	t.Helper()
	dir := t.TempDir()
	data, meta, users := filepath.Join(dir, "data"), filepath.Join(dir, "meta"), filepath.Join(dir, "users")
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
	var said bytes.Buffer
	cmd := exec.Command(s.program, "--port", address, "--quiet", "--health", "/health", "--iam-dir", users, "posix", "--sidecar", meta, data)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+s.Key, "ROOT_SECRET_KEY="+s.Secret)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() && said.Len() > 0 {
			t.Logf("versitygw said:\n%s", said.Bytes())
		}
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(s3Start)
	for {
		if res, err := http.Get(s.Endpoint + "/health"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-tick.C:
		case <-ended:
			return false
		case <-late:
			t.Fatalf("versitygw does not answer: %s", said.Bytes())
		}
	}
}

// API is a client of the server's, for what tests do behind the program's back.
func (s *S3Server) API() *sdk.Client { return s.api }

// Bucket makes a bucket and tells its name.
//
// The server removes a directory of its notes when the last object of it goes, and answers InternalError to one that is just being put there.
// Where all is put at first, something stays.
func (s *S3Server) Bucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("files-%d", s.buckets.Add(1))
	if _, err := s.api.CreateBucket(context.Background(), &sdk.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(s.meta, name, s3Prefix, "incoming", "-"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// User makes a key that may do nothing yet, and tells the address of a bucket with it.
func (s *S3Server) User(t testing.TB, key, bucket string) (address string) {
	t.Helper()
	secret := key + "-secret"
	cmd := exec.Command(s.program, "admin", "--access", s.Key, "--secret", s.Secret, "--endpoint-url", s.Endpoint,
		"create-user", "--access", key, "--secret", secret, "--role", "user")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make a user: %v: %s", err, said)
	}
	return strings.Replace(s.Address(bucket, ""), s.Key+":"+s.Secret, key+":"+secret, 1)
}

// Address is what leads to a bucket of the server, here by way of endpoint; "" is its own.
func (s *S3Server) Address(bucket, endpoint string) string {
	if endpoint == "" {
		endpoint = s.Endpoint
	}
	return fmt.Sprintf("s3://%s:%s@%s/%s?endpoint=%s&path-style=true", s.Key, s.Secret, bucket, s3Prefix, url.QueryEscape(endpoint))
}
