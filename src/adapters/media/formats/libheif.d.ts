/**
 * The C interface of libheif in its WebAssembly build (LGPL-3.0, decodes only), as far as we use it. Numbers are pointers into its memory,
 * or plain C integers.
 */
declare module 'libheif-js/libheif-wasm/libheif-bundle.js' {
  export interface Libheif {
    /** Replaced by another view whenever the memory grows: never keep one across a call. */
    readonly HEAPU8: Uint8Array;
    readonly HEAPU32: Uint32Array;
    _malloc(size: number): number;
    _free(pointer: number): void;
    _heif_context_alloc(): number;
    _heif_get_disabled_security_limits(): number;
    _heif_context_set_security_limits(error: number, context: number, limits: number): void;
    _heif_context_read_from_memory(
      error: number,
      context: number,
      bytes: number,
      length: number,
      options: number,
    ): void;
    _heif_context_get_primary_image_handle(error: number, context: number, handle: number): void;
    _heif_image_handle_get_width(handle: number): number;
    _heif_image_handle_get_height(handle: number): number;
    _heif_image_handle_has_alpha_channel(handle: number): number;
    _heif_image_get_bits_per_pixel_range(image: number, channel: number): number;
    _heif_decode_image(
      error: number,
      handle: number,
      image: number,
      colorspace: number,
      chroma: number,
      options: number,
    ): void;
    _heif_image_get_decoding_warnings(image: number, first: number, errors: number, max: number): number;
    _heif_image_get_width(image: number, channel: number): number;
    _heif_image_get_height(image: number, channel: number): number;
    _heif_image_get_plane_readonly2(image: number, channel: number, stride: number): number;
  }
  /** Makes an instance with a memory of its own. */
  export default function libheif(options: { print(line: string): void; printErr(line: string): void }): Libheif;
}
