package preview

import (
	"slices"

	"vitrine"
)

// Extensions by the way in which files are read. Each extension is in exactly
// one list.
var (
	rasters    = []string{"png", "jpg", "gif", "webp", "bmp"}
	videos     = []string{"mp4", "m4v", "mov", "webm", "ogv"}
	sounds     = []string{"mp3", "m4a", "flac", "ogg", "opus"} // sounds that may contain a cover
	writings   = []string{"doc", "docx", "odt", "rtf"}
	slides     = []string{"ppt", "pptx", "odp"}
	oldTables  = []string{"xls", "ods"} // converted to xlsx first
	inspecteds = []string{"zip", "tar", "gz", "tgz"}
	archives   = slices.Concat(inspecteds, []string{"7z", "rar"})
)

func isSlides(ext string) bool { return slices.Contains(slides, ext) }

func paged(ext string) bool { return slices.Contains(writings, ext) || isSlides(ext) }

// byOffice reports whether LibreOffice opens files with an extension.
func byOffice(ext string) bool { return paged(ext) || slices.Contains(oldTables, ext) }

// parts returns the parts that the installed programs can make for an
// extension.
func (m *Maker) parts(ext string) []vitrine.Part {
	is := func(list []string) bool { return slices.Contains(list, ext) }
	programs := !m.noPrograms.Load()
	office := m.office != "" && !m.noNamespaces.Load() && programs
	ffmpeg, heif := m.ffmpeg != "" && programs, m.heif != "" && programs
	switch {
	case ext == "tiff":
		return []vitrine.Part{vitrine.PartImage, vitrine.PartPages, vitrine.PartPicture, vitrine.PartFirst,
			vitrine.PartThumbs}
	case ext == "heic" && (heif || ffmpeg), ffmpeg && is(sounds):
		return []vitrine.Part{vitrine.PartImage, vitrine.PartPicture, vitrine.PartThumbs}
	case ext == "pdf":
		return []vitrine.Part{vitrine.PartPicture, vitrine.PartFirst, vitrine.PartThumbs, vitrine.PartText}
	case is(rasters), ffmpeg && (is(videos) || ext == "avif"):
		return []vitrine.Part{vitrine.PartPicture, vitrine.PartThumbs}
	case office && paged(ext):
		return []vitrine.Part{vitrine.PartPages, vitrine.PartPicture, vitrine.PartFirst, vitrine.PartThumbs,
			vitrine.PartText}
	case ext == "xlsx", office && is(oldTables):
		return []vitrine.Part{vitrine.PartSheets}
	case is(archives):
		return []vitrine.Part{vitrine.PartEntries}
	}
	return nil
}
