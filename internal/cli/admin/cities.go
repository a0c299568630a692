package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/visitor/geo"

	"github.com/dustin/go-humanize"
)

type citiesCmd struct {
	instance.CityFlags
	Data string
	From string
}

func newCities() *command.Command {
	c := new(citiesCmd)
	cmd := command.New("cities", "Download DB-IP's free city file of this month and replace the current one.", c.Run)
	cmd.Long = `Downloads dbip-city-lite-YYYY-MM.mmdb.gz of this month, or of last month if that is not published
yet: about 60 MB. The new file replaces the old one once it is complete and addresses were found in
it. If anything fails, the old file stays. A running server uses the new file within seconds. DB-IP
publishes a new file each month. Its licence (CC BY 4.0) requires a link to DB-IP where cities are
shown. The pages contain it.`
	cmd.Examples("admin cities --data /var/lib/vitrine")
	cmd.Take(&c.CityFlags)
	c.Data = "data"
	cmd.Path(&c.Data, "data", "DIR", "Data directory of the instance.").Env("VITRINE_DATA")
	c.From = geo.DownloadRoot
	cmd.String(&c.From, "from", "URL", "Address of the folder that the file is fetched from, for a mirror.")
	return cmd
}

// Run downloads the file.
func (c *citiesCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	path := c.File(c.Data)
	room, _, err := instance.RoomIn(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s: set --data to that of the instance", filepath.Dir(path))
	}
	if _, err := os.Stat(filepath.Join(c.Data, instance.LockFile)); err != nil && c.Geo == "" &&
		!(instance.Places{Data: c.Data}).Exists() {
		return fmt.Errorf("there is no Vitrine instance in %s: set --data to its directory, or --geo to a file", c.Data)
	}
	if err == nil && room >= 0 && room < instance.MinFree {
		return fmt.Errorf("there is not enough space on the disk of %s: %s, and %s are needed", filepath.Dir(path),
			humanize.IBytes(uint64(room)), humanize.IBytes(instance.MinFree))
	}
	got, err := geo.Fetch(ctx, c.From, path, t.Now())
	if err != nil {
		return err
	}
	t.Say("%s: %s of %s, %s", path, terminal.Plain(got.Kind), got.Built.Format(time.DateOnly),
		humanize.Bytes(uint64(got.Size)))
	return nil
}
