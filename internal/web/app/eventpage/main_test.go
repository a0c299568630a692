package eventpage_test

import (
	"os"
	"testing"

	"vitrine/internal/test/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.RunTests(m)) }
