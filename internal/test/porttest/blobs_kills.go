package porttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/base/durable"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// killVariable has the chunkPlan of a process that KilledChunks starts.
const killVariable = "VITRINE_TEST_CHUNKS"

// chunkPlan is what a process does with an upload in chunks.
type chunkPlan struct {
	Place string // the storage
	Grant vitrine.PutGrant
	Seed  uint64 // of the text, and of the sizes of the chunks
	Kill  int64  // the step at which the process kills itself; 0 is none
	Piece int    // how much larger a chunk may be than the smallest one
}

// leastPiece is the smallest chunk that all storage keeps.
const leastPiece = 64 << 10

func (p chunkPlan) text() []byte {
	text := make([]byte, p.Grant.Size)
	seed := sha256.Sum256(strconv.AppendUint(nil, p.Seed, 10))
	_, _ = rand.NewChaCha8(seed).Read(text)
	return text
}

// send goes on with an upload and seals it. It calls f with each number of
// bytes that was acknowledged.
func (p chunkPlan) send(b vitrine.Blobs, f func(at int64)) error {
	text, random := p.text(), rand.New(rand.NewPCG(p.Seed, uint64(p.Kill)))
	r := b.(publish.Resumer)
	at, err := r.Received(ctx, p.Grant)
	for err == nil && at < p.Grant.Size {
		end := min(p.Grant.Size, at+leastPiece+random.Int64N(int64(p.Piece)))
		at, err = r.Append(ctx, p.Grant, at, bytes.NewReader(text[at:end]), nil)
		if err == nil {
			f(at)
		}
	}
	if err == nil {
		_, err = b.Seal(ctx, p.Grant.Key)
	}
	return err
}

// ChunkProcess sends an upload in chunks and exits, if KilledChunks has started
// this process. Call it before the tests.
func ChunkProcess(open func(place string) (vitrine.Blobs, error)) {
	var p chunkPlan
	if os.Getenv(killVariable) == "" {
		return
	}
	if err := json.Unmarshal([]byte(os.Getenv(killVariable)), &p); err != nil {
		panic(err)
	}
	var steps atomic.Int64
	durable.Step = func(string) {
		if steps.Add(1) == p.Kill {
			me, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = me.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {}
		}
	}
	b, err := open(p.Place)
	if err == nil {
		err = p.send(b, func(at int64) { fmt.Println(at) })
	}
	if err != nil {
		panic(err)
	}
	fmt.Println("steps", steps.Load())
	os.Exit(0)
}

// KilledChunks kills processes that send uploads in chunks: each upload is
// begun in one, goes on in a second one, and ends in this one. No byte that was
// acknowledged may be missing, and nothing may be left. Files have a size of
// unit bytes or more. most is how many processes are killed in tier all. The
// test's package calls ChunkProcess.
func KilledChunks(t *testing.T, place string, b vitrine.Blobs, unit, most int) {
	tier.Need(t, tier.Test, "processes that are killed")
	random := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	test := chunkedTest{blobTest{t, b}, b.(publish.Resumer), unit}
	steps, kills := int64(0), 0
	for n := 0; kills < tier.Pick(6, most); n++ {
		p := chunkPlan{Place: place, Seed: random.Uint64(), Piece: unit / 4, Grant: vitrine.PutGrant{
			Key: vitrine.NewUploadID(), Size: int64(unit + random.IntN(unit)), Type: "text/plain",
			Expires: time.Now().Add(time.Hour)}}
		acknowledged := int64(0)
		for i := range int64(2) {
			if n > 0 { // the first one shows how many steps there are
				p.Kill = 1 + random.Int64N(steps/(1+i))
			}
			killed, took := p.run(t, &acknowledged)
			if steps = max(steps, took); killed {
				if kills++; kills%100 == 0 {
					t.Logf("%d processes were killed", kills) // of many minutes
				}
			}
			if at, err := test.resumer.Received(ctx, p.Grant); err != nil || at < acknowledged {
				t.Fatalf("%d bytes have arrived, %v, but %d were acknowledged, %+v", at, err, acknowledged, p)
			}
		}
		p.Kill = 0
		if err := p.send(b, func(int64) {}); err != nil {
			t.Fatalf("the upload does not go on: %v, %+v", err, p)
		}
		test.holds(p.Grant.Key, string(p.text()))
		test.must(b.Delete(ctx, p.Grant.Key))
	}
	test.must(b.Sweep(ctx, farAhead, func(vitrine.UploadID) (bool, error) { return false, nil }))
	test.leftNothing()
	test.must(b.Each(ctx, func(k vitrine.UploadID, _ vitrine.BlobInfo) error {
		t.Errorf("%s is left", k)
		return nil
	}))
	t.Logf("%d processes were killed, of %d steps", kills, steps)
}

// run starts a process for the plan. It returns whether it was killed, or its
// steps.
func (p chunkPlan) run(t *testing.T, acknowledged *int64) (killed bool, steps int64) {
	t.Helper()
	plan, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killVariable+"="+string(plan))
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		if text, ends := strings.CutPrefix(line, "steps "); ends {
			steps, _ = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		} else if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
			*acknowledged = max(*acknowledged, n)
		}
	}
	if err != nil && (p.Kill == 0 || errors.Len() > 0) {
		t.Fatalf("%v: %s", err, &errors)
	}
	return err != nil, steps
}
