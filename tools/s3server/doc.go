// Package s3server pins versitygw, the S3 server of the tests. It is a separate
// module, so that the program does not depend on it.
//
//	go -C tools/s3server tool versitygw --help
package s3server
