import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { notFound } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../access.js';
import { findAsset } from './assets.js';

/** For a worker, which has the policy of its own file, not that of the page (HTML §10.2.4): it may import our other scripts, and do nothing else. */
const SCRIPT_POLICY =
  "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/** Styles and scripts of the pages, which are the same for everyone. */
@Controller('settings/assets')
@NoKeyRequired()
export class AssetsController {
  @Get(':version/:name')
  show(@Param('name') name: string, @Res() response: Response): void {
    this.send(name, response);
  }

  @Get(':version/noble-hashes/:name')
  showHash(@Param('name') name: string, @Res() response: Response): void {
    this.send(`noble-hashes/${name}`, response);
  }

  private send(name: string, response: Response): void {
    const asset = findAsset(name);
    if (asset === undefined) throw notFound('asset');
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Content-Type', asset.type);
    if (asset.type.startsWith('text/javascript')) response.setHeader('Content-Security-Policy', SCRIPT_POLICY);
    response.end(asset.bytes);
  }
}
