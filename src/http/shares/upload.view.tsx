import { fileExtensions } from '../../core/media/formats.js';
import { sharePath } from './share-paths.js';

interface UploadProps {
  readonly token: string;
  /** Files in one request. */
  readonly most: number;
}

/** `image/*` alone leaves out what the browser itself does not know. */
const acceptedFiles = ['image/*', ...fileExtensions];

/** Where visitors add photos. */
export function UploadForm({ token, most }: UploadProps) {
  return (
    <form class="upload" method="post" action={`${sharePath(token)}/upload`} enctype="multipart/form-data">
      <label for="files">{most === 1 ? 'Add a photo of your own' : `Add your own photos, up to ${most} at once`}</label>
      <input type="file" id="files" name="file" multiple={most > 1} accept={acceptedFiles.join(',')} required />
      <button class="button" type="submit">
        Send
      </button>
    </form>
  );
}

interface UploadedProps {
  readonly token: string;
  /** Nothing was added. */
  readonly isEmpty: boolean;
  /** What went wrong, with all or with some; null: nothing did. */
  readonly trouble: string | null;
}

export function Uploaded({ token, isEmpty, trouble }: UploadedProps) {
  return (
    <main>
      <h1>{isEmpty ? 'Nothing was added' : 'Your photos have arrived'}</h1>
      {trouble !== null && <p role="alert">{trouble}</p>}
      {!isEmpty && <p>They are checked now. Whoever shared these photos with you decides whether they appear here.</p>}
      <p>
        <a href={sharePath(token)}>Back to the photos</a>
      </p>
    </main>
  );
}
