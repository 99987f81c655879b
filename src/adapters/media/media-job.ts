import type { Inspection, RenderedPicture } from '../../core/media/media-reader.js';
import type { InspectOrder } from './inspect-picture.js';
import type { RenderOrder } from './render-picture.js';

/** What the parent sends to a child, one at a time. */
export type MediaJob = ({ readonly kind: 'inspect' } & InspectOrder) | ({ readonly kind: 'render' } & RenderOrder);

/** What comes back: the result of the job, or what went wrong in the child itself. */
export type MediaAnswer =
  | { readonly inspection: Inspection }
  | { readonly rendered: RenderedPicture | null }
  | { readonly trouble: string };
