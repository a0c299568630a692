package instance

import (
	"cmp"
	"path/filepath"

	"vitrine/internal/cli/command"
	"vitrine/internal/visitor/geo"
)

// CityFlags configure the city file.
type CityFlags struct {
	Geo string
}

// AddFlags adds the flags to a command.
func (f *CityFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Advanced")
	cmd.String(&f.Geo, "geo", "FILE", "City file (.mmdb), which maps addresses to cities, such as DB-IP's City Lite or MaxMind's GeoLite2 City. A new file is used within seconds. Default: cities.mmdb in the data directory, if it exists; \"vitrine admin cities\" puts it there.").Env("VITRINE_GEO")
}

// File returns the path of the city file of an instance.
func (f CityFlags) File(data string) string {
	return cmp.Or(f.Geo, filepath.Join(data, geo.DefaultName))
}

// MinFree is the free space of a disk below which writes may fail.
const MinFree = 256 << 20
