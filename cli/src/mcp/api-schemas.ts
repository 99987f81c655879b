// Written by bin/generate/agent-schemas.js from openapi.json: npm run sdk:types

export const photoFilters: Readonly<Record<string, object>> = {
  "sort": {
    "type": "string",
    "enum": [
      "-createdAt",
      "createdAt",
      "id",
      "-id",
      "takenAt",
      "-takenAt",
      "filename",
      "-filename",
      "sizeBytes",
      "-sizeBytes",
      "updatedAt"
    ],
    "default": "-createdAt",
    "description": "The sort order; `-` means descending. By default, the photos most recently added to the library come first. Photos without a value come last in both directions. `updatedAt` can only ascend: reading in the other direction would miss photos that change in the meantime."
  },
  "ids": {
    "type": "array",
    "items": {
      "type": "integer",
      "description": "A positive integer that is never reused. Gaps are normal.",
      "minimum": 1,
      "maximum": 9007199254740991
    },
    "minItems": 1,
    "maxItems": 100,
    "description": "Return only these photos. Unknown ids are ignored. At most 100, separated by commas."
  },
  "q": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Search words. Each must begin a word in the file name, title, description, creator, place or name of a tag; case and accents are ignored. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found anywhere in these texts, as they are written: `京都` finds `東京都`. An emoji is a word, whatever its tone of skin. At most 10 different words (`too_many`); at least one letter, digit or emoji."
  },
  "filename": {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "description": "The complete file name, ignoring case."
  },
  "tagIds": {
    "type": "array",
    "items": {
      "type": "integer",
      "description": "A positive integer that is never reused. Gaps are normal.",
      "minimum": 1,
      "maximum": 9007199254740991
    },
    "minItems": 1,
    "maxItems": 20,
    "description": "Return only photos with all of these tags. At most 20, separated by commas."
  },
  "anyTagIds": {
    "type": "array",
    "items": {
      "type": "integer",
      "description": "A positive integer that is never reused. Gaps are normal.",
      "minimum": 1,
      "maximum": 9007199254740991
    },
    "minItems": 1,
    "maxItems": 20,
    "description": "Return only photos with at least one of these tags. At most 20, separated by commas."
  },
  "excludeTagIds": {
    "type": "array",
    "items": {
      "type": "integer",
      "description": "A positive integer that is never reused. Gaps are normal.",
      "minimum": 1,
      "maximum": 9007199254740991
    },
    "minItems": 1,
    "maxItems": 20,
    "description": "Return only photos with none of these tags. At most 20, separated by commas."
  },
  "untagged": {
    "type": "boolean",
    "description": "`true` returns only photos without tags, `false` only photos with at least one."
  },
  "importId": {
    "type": "integer",
    "description": "Return only photos from this import.",
    "minimum": 1,
    "maximum": 9007199254740991
  },
  "externalId": {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "description": "Return only photos with exactly this `externalId`."
  },
  "sha256": {
    "type": "array",
    "items": {
      "type": "string",
      "pattern": "^[0-9a-fA-F]{64}$"
    },
    "minItems": 1,
    "maxItems": 100,
    "description": "Return only photos whose originals have these SHA-256 hashes. Useful to check what is already in the library. At most 100, separated by commas."
  },
  "contentType": {
    "type": "array",
    "items": {
      "type": "string",
      "pattern": "^[A-Za-z]+/(\\*|[A-Za-z0-9.+-]+)$"
    },
    "minItems": 1,
    "maxItems": 20,
    "description": "Return only photos of these types; `image/*` matches a whole family. At most 20, separated by commas."
  },
  "takenAfter": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos taken at or after this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "takenBefore": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos taken before this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "createdAfter": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos added to the library at or after this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "createdBefore": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos added to the library before this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "updatedAfter": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos changed at or after this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "updatedBefore": {
    "type": "string",
    "format": "date-time",
    "description": "Return only photos last changed before this time. RFC 3339 with a UTC offset (encode `+` as `%2B` in a URL)."
  },
  "hasLocation": {
    "type": "boolean",
    "description": "Whether the position of the photo is known."
  },
  "bbox": {
    "type": "array",
    "items": {
      "type": "number",
      "minimum": -180,
      "maximum": 180
    },
    "minItems": 4,
    "maxItems": 4,
    "description": "Return only photos taken within this box: minLon,minLat,maxLon,maxLat in decimal degrees. If minLon is greater than maxLon, the box crosses the 180th meridian."
  },
  "country": {
    "type": "string",
    "pattern": "^[A-Za-z]{2}$",
    "description": "Return only photos taken in this country: ISO 3166-1 alpha-2, ignoring case."
  },
  "place": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Words of the names of the city, the region or the country where the photo was taken, in English for countries, matched like those of `q`."
  },
  "camera": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Part of the camera's make and model, ignoring case and accents. Must contain a letter or digit."
  },
  "lens": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Words of the lens's name, matched like those of `q`."
  },
  "minIso": {
    "type": "integer",
    "minimum": 1,
    "maximum": 10000000,
    "description": "Return only photos of at least this ISO sensitivity."
  },
  "maxIso": {
    "type": "integer",
    "minimum": 1,
    "maximum": 10000000,
    "description": "Return only photos of at most this ISO sensitivity."
  },
  "minFocalLength35mm": {
    "type": "integer",
    "minimum": 1,
    "maximum": 100000,
    "description": "Return only photos whose 35 mm equivalent focal length is at least so many millimetres."
  },
  "maxFocalLength35mm": {
    "type": "integer",
    "minimum": 1,
    "maximum": 100000,
    "description": "Return only photos whose 35 mm equivalent focal length is at most so many millimetres."
  },
  "creator": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Part of the creator's name, ignoring case and accents. Must contain a letter or digit."
  },
  "favorite": {
    "type": "boolean",
    "description": "`true` returns only favourites, `false` only the others."
  },
  "minRating": {
    "type": "integer",
    "minimum": 0,
    "maximum": 5,
    "description": "Return only photos with at least this rating."
  },
  "aspect": {
    "type": "string",
    "enum": [
      "landscape",
      "portrait",
      "square"
    ],
    "description": "The shape of the photo as displayed.\n\n- `landscape`: wider than it is high\n- `portrait`: higher than it is wide\n- `square`: neither"
  },
  "similarTo": {
    "type": "integer",
    "description": "Return only photos that look like this one, nearest first unless `sort` is given. Photos are compared by `phash`; a photo without one is like none.",
    "minimum": 1,
    "maximum": 9007199254740991
  },
  "maxDistance": {
    "type": "integer",
    "minimum": 0,
    "maximum": 16,
    "default": 6,
    "description": "Only with `similarTo`: in how many of the 64 bits of `phash` they may differ. 6 finds copies that were resized, compressed again or slightly cropped; more finds other photos of the same scene, and others."
  },
  "trashed": {
    "type": "string",
    "enum": [
      "false",
      "true",
      "any"
    ],
    "default": "false",
    "description": "Where to search.\n\n- `false`: the library\n- `true`: the trash\n- `any`: both"
  }
};

export const tagFilters: Readonly<Record<string, object>> = {
  "q": {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Part of the name, ignoring case and accents."
  },
  "name": {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "description": "The complete name, ignoring case. Matches at most one tag."
  },
  "ids": {
    "type": "array",
    "items": {
      "type": "integer",
      "description": "A positive integer that is never reused. Gaps are normal.",
      "minimum": 1,
      "maximum": 9007199254740991
    },
    "minItems": 1,
    "maxItems": 100,
    "description": "Return only these tags. Unknown ids are ignored. At most 100, separated by commas."
  },
  "unused": {
    "type": "boolean",
    "description": "`true` returns only tags that no photo outside the trash has, `false` only those that at least one has."
  },
  "sort": {
    "type": "string",
    "enum": [
      "name",
      "-name",
      "id",
      "-id"
    ],
    "default": "name",
    "description": "The sort order; `-` means descending. `id` sorts by age."
  }
};

export const photoChanges: Readonly<Record<string, object>> = {
  "takenAt": {
    "type": [
      "string",
      "null"
    ],
    "description": "When the photo was taken: RFC 3339 with a UTC offset, which becomes the time zone. Sets `takenAtLocal` and `timeZone` as well, and cannot be combined with them.",
    "format": "date-time"
  },
  "takenAtLocal": {
    "type": [
      "string",
      "null"
    ],
    "description": "The wall-clock time when the photo was taken, without a time zone. Digits beyond milliseconds are dropped.",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?$"
  },
  "timeZone": {
    "type": [
      "string",
      "null"
    ],
    "description": "The time zone of the wall-clock time: an IANA name, or a UTC offset such as `+01:00`."
  },
  "shiftTakenAt": {
    "type": "object",
    "description": "Moves the wall-clock time and keeps the time zone, from which the instant follows; `takenAtSource` becomes `client`. A photo without a capture time is left unchanged. Cannot be combined with `takenAt`, `takenAtLocal` or `timeZone`. Relative to the present time, so repeat a request only with its `Idempotency-Key`.",
    "properties": {
      "seconds": {
        "type": "integer",
        "description": "Later by so many seconds, or earlier if negative; at most a hundred years, and not 0.",
        "minimum": -3155760000,
        "maximum": 3155760000
      }
    },
    "required": [
      "seconds"
    ],
    "additionalProperties": false
  },
  "filename": {
    "type": "string",
    "description": "A plain file name: no `/` or `\\`, no control characters, and not `.` or `..`. Need not be unique. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "minLength": 1,
    "maxLength": 255,
    "pattern": "^[^/\\\\]+$"
  },
  "rotation": {
    "type": "integer",
    "enum": [
      0,
      90,
      180,
      270
    ],
    "description": "The total clockwise rotation in degrees."
  },
  "focus": {
    "anyOf": [
      {
        "type": "object",
        "description": "A point of the photo as displayed: upright and after `rotation`. Replaced as a whole.",
        "properties": {
          "x": {
            "type": "number",
            "description": "From the left edge (0) to the right (1).",
            "minimum": 0,
            "maximum": 1
          },
          "y": {
            "type": "number",
            "description": "From the top edge (0) to the bottom (1).",
            "minimum": 0,
            "maximum": 1
          }
        },
        "required": [
          "x",
          "y"
        ],
        "additionalProperties": false
      },
      {
        "type": "null"
      }
    ],
    "description": "What crops of the photo are to keep in view, such as a face. With `rotation`, a point of the rotated photo. Null removes it."
  },
  "metadata": {
    "type": "object",
    "description": "Merged key by key; null removes a key. At most 50 keys of 1 to 40 characters.",
    "additionalProperties": {
      "type": [
        "string",
        "null"
      ],
      "description": "Your value, stored unchanged.",
      "maxLength": 500
    },
    "propertyNames": {
      "pattern": "^[A-Za-z0-9_.-]{1,40}$"
    }
  },
  "title": {
    "type": [
      "string",
      "null"
    ],
    "description": "A short title. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "maxLength": 255
  },
  "description": {
    "type": [
      "string",
      "null"
    ],
    "description": "A longer text. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "maxLength": 10000
  },
  "location": {
    "anyOf": [
      {
        "type": "object",
        "description": "A position. Replaced as a whole.",
        "properties": {
          "latitude": {
            "type": "number",
            "description": "Degrees north of the equator (WGS 84).",
            "minimum": -90,
            "maximum": 90
          },
          "longitude": {
            "type": "number",
            "description": "Degrees east of Greenwich (WGS 84).",
            "minimum": -180,
            "maximum": 180
          },
          "altitude": {
            "type": [
              "number",
              "null"
            ],
            "description": "Metres above sea level. Null if unknown.",
            "minimum": -12000,
            "maximum": 100000
          }
        },
        "required": [
          "latitude",
          "longitude"
        ],
        "additionalProperties": false
      },
      {
        "type": "null"
      }
    ],
    "description": "Where the photo was taken. Null if unknown."
  },
  "rating": {
    "type": [
      "integer",
      "null"
    ],
    "description": "A rating in stars. Null if unrated.",
    "minimum": 0,
    "maximum": 5
  },
  "favorite": {
    "type": "boolean",
    "description": "Whether it is one of the favourites. False at first."
  },
  "creator": {
    "type": [
      "string",
      "null"
    ],
    "description": "Who made the photo; several are separated by `; `. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "maxLength": 255
  },
  "copyright": {
    "type": [
      "string",
      "null"
    ],
    "description": "The copyright notice. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "maxLength": 1000
  },
  "externalId": {
    "type": [
      "string",
      "null"
    ],
    "description": "Your own identifier for the photo. You can search by it; it need not be unique. Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.",
    "maxLength": 255
  }
};
