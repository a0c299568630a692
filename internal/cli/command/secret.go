package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// fileSuffix ends the name of the variable that names a file with the value
	// of a secret setting, such as those of systemd's credentials and Docker's
	// secrets.
	fileSuffix = "_FILE"
	// mostSecret bounds the file.
	mostSecret = 64 << 10
)

// Secret marks a flag whose value is a secret or may have a password in it. Its
// variable with the suffix _FILE names a file with the value. Call it after
// Env.
func (f *Flag) Secret() *Flag {
	f.secret = true
	f.Usage = strings.TrimSuffix(f.Usage, ").") + ", or in the file $" + f.Variable + fileSuffix + ")."
	return f
}

// Variable returns the value of a variable of the environment that may be given
// as a file, and the name of the variable that is set. It is an error if both
// are, or if the file has no value.
func Variable(variable string) (value, name string, err error) {
	return VariableOf(variable, os.Getenv)
}

// VariableOf is Variable for an environment in which get looks.
func VariableOf(variable string, get func(string) string) (value, name string, err error) {
	file := variable + fileSuffix
	value, path := get(variable), get(file)
	switch {
	case path == "":
		return value, variable, nil
	case value != "":
		return "", file, fmt.Errorf("%s is also set: remove one of the two", variable)
	}
	value, err = readSecret(path)
	return value, file, err
}

// readSecret reads the value in a file, without the line break at its end.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostSecret+1))
	if err != nil {
		return "", err
	}
	if len(b) > mostSecret {
		return "", fmt.Errorf("%s has more than 64 KiB, so it is not a setting", path)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if strings.TrimSpace(value) == "" {
		return "", errors.New(path + " is empty")
	}
	return value, nil
}
