<?php
// Prints the address of an image: php sign.php PHOTO OPTIONS [EXPIRES]
function image_url(int $photoId, string $options, ?int $expires = null): string
{
    $signed = '/img/' . getenv('DELIVERY_KEY') . "/$photoId/$options" . ($expires ? "?exp=$expires" : '');
    $digest = hash_hmac('sha256', $signed, getenv('DELIVERY_SECRET'), true);
    $signature = rtrim(strtr(base64_encode($digest), '+/', '-_'), '=');
    return getenv('PHOTO_SERVICE_URL') . $signed . ($expires ? '&' : '?') . "sig=$signature";
}

echo image_url(...array_slice($argv, 1)), "\n";
