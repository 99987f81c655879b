import type { UploadStatus } from './uploads.js';

/** Everything that people read, so that a page can say it in its own language. */
export interface UploadTexts {
  readonly choose: string;
  readonly drop: string;
  readonly cancel: string;
  readonly retry: string;
  readonly retryAll: string;
  /** The progress of the whole, and of each file, for those who hear the page. */
  readonly progress: string;
  readonly fileProgress: (filename: string) => string;
  readonly status: Readonly<Record<UploadStatus, string>>;
  /** While files are on their way. */
  readonly running: (given: { readonly done: number; readonly total: number }) => string;
  /** After the last one. */
  readonly finished: (given: {
    readonly uploaded: number;
    readonly known: number;
    readonly failed: number;
    /** Hidden files and folders, and those of systems, in what was dropped; a folder is one. */
    readonly leftOut: number;
  }) => string;
  readonly cancelled: string;
}

const photos = (count: number) => (count === 1 ? '1 photo' : `${count} photos`);

export const englishTexts: UploadTexts = {
  choose: 'Choose photos',
  drop: 'or drop photos and folders here',
  cancel: 'Cancel',
  retry: 'Try again',
  retryAll: 'Try all failed photos again',
  progress: 'All photos',
  fileProgress: (filename) => `${filename}, uploaded`,
  status: {
    waiting: 'Waiting',
    preparing: 'Preparing',
    uploading: 'Uploading',
    retrying: 'Connection lost, trying again',
    uploaded: 'Uploaded',
    known: 'Already there',
    failed: 'Failed',
  },
  running: ({ done, total }) => `${done} of ${photos(total)} done`,
  finished: ({ uploaded, known, failed, leftOut }) =>
    [
      `${photos(uploaded)} uploaded`,
      ...(known > 0 ? [`${known} already there`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(leftOut > 0 ? [`${leftOut} hidden or system files left out`] : []),
    ].join(', '),
  cancelled: 'Cancelled',
};
