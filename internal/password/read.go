package password

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Read reads a password from the first line of the input.
func Read(in io.Reader, email string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return Parse(strings.TrimRight(line, "\r\n"), email)
}
