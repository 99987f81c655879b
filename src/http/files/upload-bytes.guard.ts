import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readUploadToken } from '../../core/imports/target.js';
import type { Ports } from '../../core/ports.js';
import { TrafficRecorder } from '../guards/traffic-recorder.js';
import { PORTS } from '../ports-token.js';

/** Lets every request pass, and counts its bytes for the account of its URL, even if that is no longer valid. */
@Injectable()
export class UploadBytes implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request<{ token: string }>>();
    const grant = readUploadToken(this.ports, request.params.token);
    if (grant !== null) {
      this.traffic.followBytes(request, http.getResponse<Response>(), grant.customerId, 'signed_urls');
    }
    return true;
  }
}
