// Package media inspects images (PNG, JPEG, GIF, WebP, TIFF, BMP), audio and
// video (MP4 and QuickTime, WebM, Ogg, MP3, AAC, WAV, FLAC), and still images
// in the boxes of MP4 (HEIC, AVIF).
package media

func uint24(p []byte) uint32 { return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 }
