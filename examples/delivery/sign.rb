# Prints the address of an image: ruby sign.rb PHOTO OPTIONS [EXPIRES]
require "openssl"

def image_url(photo_id, options, expires = nil)
  signed = "/img/#{ENV.fetch("DELIVERY_KEY")}/#{photo_id}/#{options}" + (expires ? "?exp=#{expires}" : "")
  digest = OpenSSL::HMAC.digest("SHA256", ENV.fetch("DELIVERY_SECRET"), signed)
  signature = [digest].pack("m0").tr("+/", "-_").delete("=")
  "#{ENV.fetch("PHOTO_SERVICE_URL")}#{signed}#{expires ? "&" : "?"}sig=#{signature}"
end

puts image_url(*ARGV)
