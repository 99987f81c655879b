import type { Inspection, RenderedPicture } from '../../core/media/media-reader.js';
import type { InspectOrder } from './inspect-picture.js';
import type { RenderOrder } from './render-picture.js';

/** What the parent sends to a child, one at a time. */
export type MediaJob = ({ readonly kind: 'inspect' } & InspectOrder) | ({ readonly kind: 'render' } & RenderOrder);

/** What comes back: the result of the job; what went wrong in the child itself; or what the system refused to it, for whatever picture. */
export type MediaAnswer =
  | { readonly inspection: Inspection }
  | { readonly rendered: RenderedPicture | null }
  | { readonly trouble: string }
  | { readonly away: string };

/** What the child says first, once it can take jobs. */
export const READY = 'ready';
