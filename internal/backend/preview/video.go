package preview

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"

	"vitrine"

	"golang.org/x/image/draw"
	"golang.org/x/image/vector"
)

// demuxers are the FFmpeg formats that are allowed for each extension. Formats
// that refer to other files, such as playlists, are excluded.
var demuxers = map[string]string{
	"mp4": "mov", "m4v": "mov", "mov": "mov", "m4a": "mov", "avif": "mov", "heic": "mov",
	"webm": "matroska", "ogv": "ogg", "ogg": "ogg", "opus": "ogg", "mp3": "mp3", "flac": "flac",
}

// formats lists all allowed demuxers by FFmpeg's names.
const formats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,mp3,flac"

// decoders are the allowed codecs: those of browsers, cameras, phones and
// covers.
const decoders = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg4,h263,mpeg2video,mpeg1video,prores,dnxhd,theora," +
	"mjpeg,png,bmp,gif,webp"

// frame returns a frame of a file, at about ms milliseconds.
func (j *job) frame(ms int64, stream string) (image.Image, error) {
	longer := maxShown
	if j.Ext == "heic" {
		longer = maxImage
	}
	fit := fmt.Sprintf("scale=iw*max(sar\\,0.1):ih,scale=min(%[1]d\\,iw):min(%[1]d\\,ih):force_original_aspect_ratio=decrease", longer)
	demuxer := demuxers[j.Ext]
	args := []string{"-nostdin", "-v", "error", "-threads", "2", "-protocol_whitelist", "file", "-format_whitelist",
		formats,
		"-codec_whitelist", decoders, "-max_pixels", fmt.Sprint(maxPixels)}
	if ms > 0 {
		args = append(args, "-ss", fmt.Sprintf("%d.%03d", ms/1000, ms%1000))
	}
	args = append(args, "-f", demuxer, "-i", fmt.Sprintf("file:/proc/self/fd/%d", fileFD),
		"-map", stream, "-an", "-sn", "-dn", "-frames:v", "1", "-vf", fit,
		"-c:v", "png", "-f", "image2pipe", "pipe:1")
	b, err := j.exec(maxPart, j.FFmpeg, args...)
	if err != nil {
		return nil, err
	}
	return pictureOf(b)
}

// video makes the picture of a video. It skips black frames at the beginning.
func (j *job) video() error {
	var best image.Image
	light := -1.0
	for _, at := range []int64{j.facts.DurationMs / 10, j.facts.DurationMs / 3, 0} {
		img, err := j.frame(at, "0:V:0")
		if err != nil {
			if best == nil && at == 0 {
				return err
			}
			continue
		}
		if l := lightness(img); l > light {
			best, light = img, l
		}
		if light > dark || at == 0 {
			break
		}
	}
	if best == nil {
		return nil
	}
	card := imageCard(smaller(best, maxShown))
	playSign(card)
	if err := j.putPicture(card); err != nil {
		return err
	}
	return j.putThumb(best)
}

// dark is the mean brightness, from 0 to 1, up to which a frame counts as
// black.
const dark = 0.06

func lightness(img image.Image) float64 {
	const side = 32
	tiny := image.NewGray(image.Rect(0, 0, side, side))
	draw.ApproxBiLinear.Scale(tiny, tiny.Bounds(), img, img.Bounds(), draw.Src, nil)
	sum := 0
	for _, v := range tiny.Pix {
		sum += int(v)
	}
	return float64(sum) / (side * side * 255)
}

// cover makes the parts of a sound that has a cover.
func (j *job) cover() error {
	img, err := j.frame(0, "0:v:0")
	if err != nil {
		return nil // most files have no cover
	}
	if err := j.putJPEG(vitrine.PartImage, smaller(img, coverSide), imageQuality); err != nil {
		return err
	}
	return j.putCover(img)
}

// avif makes the picture of an AVIF image, if the installed FFmpeg decodes it.
func (j *job) avif() error {
	if err := hasPixels(j.facts.Width, j.facts.Height); err != nil {
		return err
	}
	img, err := j.frame(0, "0:v:0")
	if err != nil {
		return err
	}
	return j.putCover(img)
}

// heic makes the parts of a HEIC image.
func (j *job) heic() error {
	if err := hasPixels(j.facts.Width, j.facts.Height); err != nil {
		return err
	}
	img, err := j.heif()
	if err != nil {
		return err
	}
	return j.putImage(smaller(img, maxImage), true)
}

func (j *job) heif() (image.Image, error) {
	if j.Heif == "" {
		img, err := j.frame(0, "0:v:0")
		if err == nil && !sameShape(img.Bounds().Size(), image.Pt(j.facts.Width, j.facts.Height)) {
			return nil, errors.New("a single tile of the image")
		}
		return img, err
	}
	from, to := j.work("image.heic"), j.work("image.png")
	if err := j.copyTo(from); err != nil {
		return nil, err
	}
	if _, err := j.exec(mib, j.Heif, from, to); err != nil {
		return nil, err
	}
	f, err := os.Open(to)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	config, err := png.DecodeConfig(f)
	if err != nil {
		return nil, err
	}
	if err := hasPixels(config.Width, config.Height); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, machineError{err}
	}
	return png.Decode(f)
}

// sameShape reports whether an image has the stated size or proportions. Phones
// store images as tiles, and older FFmpeg versions return only the first tile.
func sameShape(got, stated image.Point) bool {
	long, short := max(got.X, got.Y), min(got.X, got.Y)
	whole := min(max(stated.X, stated.Y), maxImage)
	shape := float64(long) / float64(max(short, 1)) * float64(min(stated.X, stated.Y)) / float64(max(stated.X, stated.Y,
		1))
	return long >= whole*9/10 && math.Abs(shape-1) < 0.05
}

// playSign draws a play symbol in the middle of a card.
func playSign(card *image.RGBA) {
	const x, y, r = cardWidth / 2, cardHeight / 2, 58
	disc := vector.NewRasterizer(cardWidth, cardHeight)
	const k = 0.5523 * r // Bézier approximation of a quarter circle
	disc.MoveTo(x+r, y)
	disc.CubeTo(x+r, y+k, x+k, y+r, x, y+r)
	disc.CubeTo(x-k, y+r, x-r, y+k, x-r, y)
	disc.CubeTo(x-r, y-k, x-k, y-r, x, y-r)
	disc.CubeTo(x+k, y-r, x+r, y-k, x+r, y)
	disc.ClosePath()
	disc.Draw(card, card.Bounds(), image.NewUniform(color.NRGBA{0x1d, 0x1b, 0x18, 0x99}), image.Point{})
	triangle := vector.NewRasterizer(cardWidth, cardHeight)
	triangle.MoveTo(x-18, y-28)
	triangle.LineTo(x+30, y)
	triangle.LineTo(x-18, y+28)
	triangle.ClosePath()
	triangle.Draw(card, card.Bounds(), image.NewUniform(color.NRGBA{0xff, 0xff, 0xff, 0xf0}), image.Point{})
}
