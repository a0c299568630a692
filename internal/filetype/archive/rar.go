package archive

type RarFile struct {
	Name         string
	Dir, Link    bool
	Stored       bool
	Data, Packed int64 // where its bytes are
	Unpacked     int64
}
