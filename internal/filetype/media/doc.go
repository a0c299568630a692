// Package media inspects images (PNG, JPEG, GIF, WebP, TIFF, BMP), audio and
// video (MP4 and QuickTime, WebM, Ogg, MP3, AAC, WAV, FLAC), and still images
// in the boxes of MP4 (HEIC, AVIF).
package media
