import type { Inspection, RenderedPicture } from '../../core/media/media-reader.js';
import type { InspectOrder } from './inspect-picture.js';
import type { RenderOrder } from './render-picture.js';

/** The message of the parent to a child, one at a time. */
export type MediaJob = ({ readonly kind: 'inspect' } & InspectOrder) | ({ readonly kind: 'render' } & RenderOrder);

/** The reply: the result of the job; an error in the child itself; or what the system refused to it, whatever the picture. */
export type MediaAnswer =
  | { readonly inspection: Inspection }
  | { readonly rendered: RenderedPicture | null }
  | { readonly failed: string }
  | { readonly unavailable: string };

/** The child's first message, once it can accept jobs. */
export const READY = 'ready';
