import { bytesAt } from '../file-bytes.js';
import type { RawReader } from './raw-file.js';

const SIGNATURE = 'FUJIFILMCCD-RAW ';
/** Of the header, which ends with the places of its three parts: a JPEG, a directory of Fujifilm's own, and the sensor data. */
const LENGTH = 108;
const JPEG_AT = 84;
const SENSOR_DATA_AT = 100;

/** Fujifilm's raw files, big-endian: a JPEG with all metadata as its own, and the sensor data behind it. */
export const readRaf: RawReader = async (file) => {
  const head = await bytesAt(file, 0, LENGTH);
  if (head.toString('latin1', 0, SIGNATURE.length) !== SIGNATURE || head.length < LENGTH) return null;
  const range = (at: number) => ({ start: head.readUInt32BE(at), length: head.readUInt32BE(at + 4) });
  return {
    contentType: 'image/x-fuji-raf',
    jpegs: [range(JPEG_AT)],
    orientation: null,
    isAdobeRgb: false,
    sensorData: [range(SENSOR_DATA_AT)],
    metadata: null,
    xmp: null,
  };
};
