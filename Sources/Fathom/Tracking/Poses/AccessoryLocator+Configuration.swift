extension AccessoryLocator.Configuration {
  /// Throws if a locator cannot work with these settings.
  ///
  /// - Throws: The first setting that is invalid.
  public func validate() throws(ConfigurationError) {
    let sigma = 1e-6...1e6
    let optionalSigma = 0.0...1e6
    try ConfigurationError.check([
      ("errors.sigma", errors.sigma, sigma),
      ("errors.correlatedShare", errors.correlatedShare, 0...1),
      ("errors.correlationTime", errors.correlationTime, 1e-3...1e9),
      ("errors.repetitionTime", errors.repetitionTime, 0...1e9),
      ("errors.commonModeSigma", errors.commonModeSigma, optionalSigma),
      ("errors.commonModeTime", errors.commonModeTime, 1e-3...1e9),
      ("errors.biasSigma", errors.biasSigma, optionalSigma),
      ("errors.scaleSigma", errors.scaleSigma, 0...1),
      ("errors.persistentSigma", errors.persistentSigma, optionalSigma),
      ("errors.remainingBiasSigma", errors.remainingBiasSigma, optionalSigma),
      ("errors.degreesOfFreedom", errors.degreesOfFreedom, 0.1...Double.infinity),
      ("poseErrors.distanceNoise", poseErrors.distanceNoise, 0...1e3),
      ("poseErrors.headingNoise", poseErrors.headingNoise, 0...1e3),
      ("poseErrors.scaleSigma", poseErrors.scaleSigma, 0...1),
      ("heightSigma", heightSigma, 1e-3...1e6),
      ("directionSigma", directionSigma, 1e-6...Double.pi),
      ("tolerance", tolerance, sigma),
      ("relativeTolerance", relativeTolerance, optionalSigma),
    ])
  }
}
