// Prints the address of an image: go run sign.go PHOTO OPTIONS [EXPIRES]
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
)

func imageURL(photoID, options, expires string) string {
	signed, join := fmt.Sprintf("/img/%s/%s/%s", os.Getenv("DELIVERY_KEY"), photoID, options), "?"
	if expires != "" {
		signed, join = signed+"?exp="+expires, "&"
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("DELIVERY_SECRET")))
	mac.Write([]byte(signed))
	return os.Getenv("PHOTO_SERVICE_URL") + signed + join + "sig=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func main() {
	fmt.Println(imageURL(os.Args[1], os.Args[2], append(os.Args, "")[3]))
}
