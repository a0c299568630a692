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

	"vitrine/internal/base/durable"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// killVariable names the variable that lets a program print each step that
// makes something durable, and kill itself (SIGKILL) at the step of this
// number, or at none if it is 0. With "stop:" before the number it suspends
// itself (SIGSTOP) after the commit of this number, when it holds no lock,
// until it receives SIGCONT.
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
				<-goOn // the thread may continue for a moment before it is stopped
			}
		case n == at:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// killSetting returns the setting for a program that kills itself at a step.
func killSetting(step int) string { return fmt.Sprint(killVariable, "=", step) }

// seeded returns a source of random numbers and logs its seed.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
}

// stepNames returns the steps in a program's output without their numbers.
func stepNames(output string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^step \d+: (.*)$`).FindAllStringSubmatch(output, -1) {
		names = append(names, m[1])
	}
	return names
}

// killPoints chooses steps to kill at, in order: some of them, or in tier all
// each step.
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
// the number of steps, and whether it ended without being killed.
func killedRun(t *testing.T, step int, args ...string) (output string, steps int, ended bool) {
	t.Helper()
	cmd := exec.Command("vitrine", args...)
	cmd.Env = append(os.Environ(), killSetting(step))
	out, err := cmd.CombinedOutput()
	output = string(out)
	steps = strings.Count("\n"+output, "\nstep ")
	if err == nil {
		return output, steps, true
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL || step == 0 {
		t.Fatalf("vitrine %s, to be killed at step %d: %v: %s", strings.Join(args, " "), step, err, output)
	}
	return output, steps, false
}
