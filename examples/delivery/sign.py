# Prints the address of an image: python3 sign.py PHOTO OPTIONS [EXPIRES]
import base64, hashlib, hmac, os, sys


def image_url(photo_id, options, expires=None):
    signed = f"/img/{os.environ['DELIVERY_KEY']}/{photo_id}/{options}" + (f"?exp={expires}" if expires else "")
    digest = hmac.new(os.environ["DELIVERY_SECRET"].encode(), signed.encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return f"{os.environ['PHOTO_SERVICE_URL']}{signed}{'&' if expires else '?'}sig={signature}"


print(image_url(*sys.argv[1:]))
