/** @jsxImportSource react */
// A page in React on which people add photos: <photo-upload> and a list of what happened. The backend is that of ../sign-up-backend.
import type { PhotoUploadElement, Upload } from 'photo-service-uploader';
import 'photo-service-uploader';
import { type DetailedHTMLProps, type HTMLAttributes, useState } from 'react';
import { createRoot } from 'react-dom/client';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'photo-upload': DetailedHTMLProps<HTMLAttributes<PhotoUploadElement>, PhotoUploadElement> &
        Partial<Pick<PhotoUploadElement, 'requestUploads' | 'finishUploads'>> & {
          'uploads-url'?: string;
          'finish-url'?: string;
          'onupload-file'?: (event: CustomEvent<Upload>) => void;
        };
    }
  }
}

function AddPhotos() {
  const [uploaded, setUploaded] = useState<readonly string[]>([]);
  const onFile = ({ detail: { status, file } }: CustomEvent<Upload>) => {
    if (status === 'uploaded') setUploaded((names) => [...names, file.name]);
  };
  return (
    <main>
      <h1>Add photos</h1>
      <photo-upload uploads-url="/uploads" finish-url="/finish" onupload-file={onFile} />
      <p>{uploaded.length === 0 ? 'Nothing yet.' : `Thank you for ${uploaded.join(', ')}.`}</p>
    </main>
  );
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<AddPhotos />);
