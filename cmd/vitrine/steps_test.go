package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"vitrine/internal/durable"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
)

// killVariable names the variable that has a program run by a test tell each
// step that makes something durable, and kill itself (SIGKILL) at the step of
// this number; 0: at none. With "stop:" before the number it stops itself
// (SIGSTOP) after the commit of this number, when it is in nobody's way, and
// goes on when it is told to (SIGCONT).
const killVariable = "VITRINE_TEST_KILL"

// killAtStep does what killVariable says.
func killAtStep() {
	number, stop := strings.CutPrefix(os.Getenv(killVariable), "stop:")
	at, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return
	}
	var steps, commits atomic.Int64
	durable.Step = func(what string) {
		n := steps.Add(1)
		fmt.Fprintf(os.Stderr, "step %d: %s\n", n, what)
		switch {
		case stop:
			if strings.HasPrefix(what, "committed ") && commits.Add(1) == at {
				goOn := make(chan os.Signal, 1)
				signal.Notify(goOn, syscall.SIGCONT)
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				<-goOn // the thread may run on a little before it is stopped
			}
		case n == at:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// killSetting returns the setting of a program that is to kill itself at a
// step.
func killSetting(step int) string { return fmt.Sprint(killVariable, "=", step) }

// seeded returns a source of random numbers, and logs its seed.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
}

// stepNames returns the steps in what a program said, without their numbers.
func stepNames(said string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^step \d+: (.*)$`).FindAllStringSubmatch(said, -1) {
		names = append(names, m[1])
	}
	return names
}

// killPoints chooses steps to be killed at, in order: some in the gate, each in
// tier all.
func killPoints(r *rand.Rand, steps, some int) []int {
	points := r.Perm(steps)
	points = points[:min(tier.Pick(some, steps), steps)]
	slices.Sort(points)
	for i := range points {
		points[i]++
	}
	return points
}

// killedRun runs a program that kills itself at a step. It returns its output,
// the number of steps, and whether it ended by itself.
func killedRun(t *testing.T, step int, args ...string) (said string, steps int, ended bool) {
	t.Helper()
	cmd := exec.Command("vitrine", args...)
	cmd.Env = append(os.Environ(), killSetting(step))
	out, err := cmd.CombinedOutput()
	said = string(out)
	steps = strings.Count("\n"+said, "\nstep ")
	if err == nil {
		return said, steps, true
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL || step == 0 {
		t.Fatalf("vitrine %s, to be killed at step %d: %v: %s", strings.Join(args, " "), step, err, said)
	}
	return said, steps, false
}
