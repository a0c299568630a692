package audit

import "fmt"

// Advice returns the next step after faults. tallies is the number of
// faults in stored tallies.
func Advice(faults, tallies int, repaired bool) string {
	switch {
	case tallies == 0:
		return "The audit cannot repair them: restore a backup"
	case repaired: // another process changed the log, or the disk fails
		return "Stored tallies are wrong again: check the disk and the database"
	case tallies == faults:
		return `All are in stored tallies: "vitrine audit --repair" rebuilds them`
	}
	return fmt.Sprintf(`%d are in stored tallies: "vitrine audit --repair" rebuilds them. For the other faults, restore a backup`,
		tallies)
}
