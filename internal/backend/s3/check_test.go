package s3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func TestCheck(t *testing.T) {
	server := vitrinetest.S3(t)
	bucket := server.Bucket(t)
	address := server.Address(bucket, "")
	b := opened(t, address)
	for range 2 {
		if err := b.Check(ctx); err != nil {
			t.Fatalf("Check of a good bucket = %v, want nil", err)
		}
	}
	if err := b.list(ctx, "", func(e entry) error {
		t.Errorf("Check leaves the object %s",
			e.key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.unfinished(ctx, "", func(a *assembly,
		_ time.Time) error {
		t.Errorf("Check leaves the unfinished upload %s", a.key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}

	nobody := "http://127.0.0.1:1"
	for _, test := range []struct{ what, address, says string }{
		{"no such bucket", server.Address("none-such", ""), `There is no bucket "none-such" at http://127.0.0.1:`},
		{"an unknown key", strings.Replace(address, server.Key+":", "somebody:", 1), "does not know the key"},
		{"a wrong secret", strings.Replace(address, server.Secret, "guessed", 1),
			"The secret does not belong to the key."},
		{"a wrong region", address + "&region=eu-central-1", "is in another region"},
		{"no server", server.Address(bucket, nobody), nobody + " does not answer. Correct endpoint="},
	} {
		err := opened(t, test.address).Check(ctx)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), server.Secret) {
			t.Errorf("Check with %s = %v\nwant %q", test.what, err, test.says)
		}
	}

	late, err := open(ctx, address, func() time.Time { return time.Now().Add(7 * time.Minute) }, brief)
	if err != nil {
		t.Fatal(err)
	}
	if err := late.Check(ctx); err == nil || !strings.Contains(err.Error(), "differ by 7m") {
		t.Errorf("Check with a wrong clock = %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Check(over); err == nil {
		t.Error("Check succeeds after the end of its context")
	}
}

func TestCors(t *testing.T) {
	server := vitrinetest.S3(t)
	bucket := server.Bucket(t)
	b := opened(t, server.Address(bucket, ""))
	const ours, theirs = "https://share.example", "https://other.example"
	if err := b.CorsMissing(ctx, ours); err == nil || !strings.Contains(err.Error(), `"vitrine admin repair cors"`) {
		t.Errorf("CorsMissing of a new bucket = %v", err)
	}
	_, err := server.API().PutBucketCors(ctx, &sdk.PutBucketCorsInput{Bucket: &bucket,
		CORSConfiguration: &types.CORSConfiguration{
			CORSRules: []types.CORSRule{{ID: aws.String("theirs"), AllowedOrigins: []string{theirs},
				AllowedMethods: []string{"GET"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second call changes nothing
		if err := b.Cors(ctx, ours); err != nil {
			t.Fatalf("Cors = %v, want nil", err)
		}
		if err := b.CorsMissing(ctx, ours); err != nil {
			t.Errorf("CorsMissing after Cors = %v, want nil", err)
		}
		if err := b.CorsMissing(ctx, theirs); err == nil {
			t.Error("CorsMissing = nil for an origin that may only GET, want an error")
		}
		out, err := server.API().GetBucketCors(ctx, &sdk.GetBucketCorsInput{Bucket: &bucket})
		if err != nil || len(out.CORSRules) != 2 || aws.ToString(out.CORSRules[0].ID) != "theirs" ||
			out.CORSRules[0].AllowedOrigins[0] != theirs {
			t.Errorf("rules after Cors = %+v, %v", out, err)
		}
	}
	for at, clear := range map[string]bool{"http://files.example": true, "http://192.168.1.2:9000": true,
		"https://files.example": false, "http://localhost:9000": false} {
		b := opened(t, server.Address(bucket, "")+"&public="+at)
		for _, err := range []error{b.Cors(ctx, ours), b.CorsMissing(ctx, ours)} {
			if clear != (err != nil) || clear && !strings.Contains(err.Error(), "not encrypted. Set an https://") {
				t.Errorf("bucket at %s, page at %s: %v", at, ours, err)
			}
		}
		if err := b.Cors(ctx, "http://share.example"); err != nil {
			t.Errorf("bucket at %s, page without encryption: %v", at, err)
		}
	}
	if err := opened(t, server.Address("none-such", "")).Cors(ctx, ours); err == nil ||
		!strings.Contains(err.Error(), "There is no bucket") {
		t.Errorf("Cors of a missing bucket = %v", err)
	}
}

// TestNoCredentials checks that missing credentials fail quickly.
func TestNoCredentials(t *testing.T) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE":             "/nonexistent",
		"AWS_SHARED_CREDENTIALS_FILE": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": ""} {
		t.Setenv(name, value)
	}
	b, err := Open(ctx, "s3://files?endpoint=http://127.0.0.1:1", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(ctx); err == nil || !strings.Contains(err.Error(),
		"No credentials for the bucket were found. Set AWS_ACCESS_KEY_ID") {
		t.Errorf("Check = %v", err)
	}
	if _, err := b.SignPut(ctx, putGrant); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("SignPut = %v, want unavailable", err)
	}
}

// actions are the permissions that a key needs, except those for Cors.
var actions = []string{"s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:ListBucket",
	"s3:ListBucketMultipartUploads", "s3:AbortMultipartUpload"}

func TestDenied(t *testing.T) {
	server := vitrinetest.S3(t)
	bucket := server.Bucket(t)
	b := opened(t, server.User(t, "limited", bucket))
	allow := func(actions ...string) {
		t.Helper()
		policy := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["limited"]},"Action":["%s"],"Resource":["arn:aws:s3:::%s","arn:aws:s3:::%[2]s/*"]}]}`,
			strings.Join(actions, `","`), bucket)
		if _, err := server.API().PutBucketPolicy(ctx,
			&sdk.PutBucketPolicyInput{Bucket: &bucket, Policy: &policy}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Check(ctx); err == nil || !strings.Contains(err.Error(),
		"The server refuses s3:PutObject. Allow the key s3:PutObject for the bucket "+bucket) {
		t.Errorf("Check without permissions = %v", err)
	}
	for i, action := range actions {
		allow(slices.Delete(slices.Clone(actions), i, i+1)...)
		b.tried = false
		err := b.Check(ctx)
		if err == nil || !strings.Contains(err.Error(), action) {
			t.Errorf("Check without %s = %v", action, err)
		}
		var e *vitrine.Error
		if errors.As(err, &e) {
			t.Errorf("%s: error for clients = %v, want none", action, err)
		}
	}
	allow(actions...)
	b.tried = false
	if err := b.Check(ctx); err != nil {
		t.Errorf("Check with all listed permissions = %v, want nil", err)
	}
	if err := b.Cors(ctx, "https://share.example"); err == nil || !strings.Contains(err.Error(), "s3:GetBucketCORS") {
		t.Errorf("Cors without permission = %v", err)
	}
}
