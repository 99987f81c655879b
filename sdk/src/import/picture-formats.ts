// Written by bin/generate/picture-formats.js from src/core/media/formats.ts: npm run sdk:types

/** Parts of the first bytes that all have to be there: where, and what, a character for each byte. */
export type Signature = readonly (readonly [at: number, text: string])[];

export interface PictureType {
  readonly contentType: string;
  /** The extensions of the names of such files, without a dot, in lower case. */
  readonly extensions: readonly string[];
  /** One of them is that of each such file. */
  readonly signatures: readonly Signature[];
}

/** The types of files that may be photos. */
export const pictureTypes: readonly PictureType[] = [
  {
    "contentType": "image/jpeg",
    "extensions": [
      "jpg",
      "jpeg",
      "jpe",
      "jfif",
      "jfi",
      "pjpeg",
      "mpo",
      "insp"
    ],
    "signatures": [
      [
        [
          0,
          "ÿØÿ"
        ]
      ]
    ]
  },
  {
    "contentType": "image/png",
    "extensions": [
      "png",
      "apng"
    ],
    "signatures": [
      [
        [
          0,
          "PNG\r\n\u001a\n"
        ]
      ]
    ]
  },
  {
    "contentType": "image/webp",
    "extensions": [
      "webp"
    ],
    "signatures": [
      [
        [
          0,
          "RIFF"
        ],
        [
          8,
          "WEBP"
        ]
      ]
    ]
  },
  {
    "contentType": "image/gif",
    "extensions": [
      "gif"
    ],
    "signatures": [
      [
        [
          0,
          "GIF8"
        ]
      ]
    ]
  },
  {
    "contentType": "image/tiff",
    "extensions": [
      "tif",
      "tiff"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/avif",
    "extensions": [
      "avif",
      "avifs"
    ],
    "signatures": [
      [
        [
          4,
          "ftypavif"
        ]
      ],
      [
        [
          4,
          "ftypavis"
        ]
      ]
    ]
  },
  {
    "contentType": "image/heic",
    "extensions": [
      "heic",
      "heics",
      "hif"
    ],
    "signatures": [
      [
        [
          4,
          "ftypheic"
        ]
      ],
      [
        [
          4,
          "ftypheix"
        ]
      ],
      [
        [
          4,
          "ftypheim"
        ]
      ],
      [
        [
          4,
          "ftypheis"
        ]
      ],
      [
        [
          4,
          "ftyphevc"
        ]
      ],
      [
        [
          4,
          "ftyphevx"
        ]
      ],
      [
        [
          4,
          "ftyphevm"
        ]
      ],
      [
        [
          4,
          "ftyphevs"
        ]
      ]
    ]
  },
  {
    "contentType": "image/heif",
    "extensions": [
      "heif",
      "heifs"
    ],
    "signatures": [
      [
        [
          4,
          "ftypmif1"
        ]
      ],
      [
        [
          4,
          "ftypmsf1"
        ]
      ]
    ]
  },
  {
    "contentType": "image/jxl",
    "extensions": [
      "jxl"
    ],
    "signatures": [
      [
        [
          0,
          "ÿ\n"
        ]
      ],
      [
        [
          0,
          "\u0000\u0000\u0000\fJXL \r\n\n"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-adobe-dng",
    "extensions": [
      "dng"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-canon-cr2",
    "extensions": [
      "cr2"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-canon-cr3",
    "extensions": [
      "cr3"
    ],
    "signatures": [
      [
        [
          4,
          "ftypcrx "
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-nikon-nef",
    "extensions": [
      "nef"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-nikon-nrw",
    "extensions": [
      "nrw"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-sony-arw",
    "extensions": [
      "arw"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-sony-sr2",
    "extensions": [
      "sr2"
    ],
    "signatures": [
      [
        [
          0,
          "II*\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000*"
        ]
      ],
      [
        [
          0,
          "II+\u0000"
        ]
      ],
      [
        [
          0,
          "MM\u0000+"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-fuji-raf",
    "extensions": [
      "raf"
    ],
    "signatures": [
      [
        [
          0,
          "FUJIFILM"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-olympus-orf",
    "extensions": [
      "orf"
    ],
    "signatures": [
      [
        [
          0,
          "IIRO"
        ]
      ],
      [
        [
          0,
          "IIRS"
        ]
      ],
      [
        [
          0,
          "MMOR"
        ]
      ]
    ]
  },
  {
    "contentType": "image/x-panasonic-rw2",
    "extensions": [
      "rw2"
    ],
    "signatures": [
      [
        [
          0,
          "IIU\u0000"
        ]
      ]
    ]
  }
];

/** Endings of pictures that no service takes, by the names of their formats. */
export const otherPictures: Readonly<Record<string, readonly string[]>> = {
  "AVCI": [
    "avci",
    "avcs"
  ],
  "BMP": [
    "bmp",
    "dib"
  ],
  "JPEG 2000": [
    "jp2",
    "j2k",
    "jpf",
    "jpx",
    "jpm",
    "j2c",
    "jpc"
  ],
  "JPEG-LS": [
    "jls"
  ],
  "PSD": [
    "psd",
    "psb"
  ],
  "EXR": [
    "exr"
  ],
  "HDR": [
    "hdr"
  ],
  "TGA": [
    "tga"
  ],
  "CRW": [
    "crw"
  ],
  "X3F": [
    "x3f"
  ],
  "MRW": [
    "mrw"
  ],
  "IIQ": [
    "iiq"
  ]
};
