import Testing

@testable import FathomRecordings

@Suite struct SessionInfoReaderTests {
  @Test func readsOneAndSeveralLines() throws {
    let log = LogText(
      """
      ok
      SESSION_INFO_NTF: {session_handle=1, sequence_number=39, block_index=39, n_measurements=1 [mac_address=0x0001, status="SUCCESS", distance[cm]=71]}
      SESSION_INFO_NTF: {session_handle=1, sequence_number=40, block_index=40, n_measurements=2
      \r [mac_address=0x0001, status="SUCCESS", distance[cm]=210, RSSI[dBm]=-78.0];
       [mac_address=0x0002, status="RX_TIMEOUT"]}
      """)
    #expect(log.format == .sessionInfo)
    let file = try log.read()
    #expect(file.anchors == ["0x0001", "0x0001"])
    #expect(file.ranges.distance == [0.71, 2.1])
    #expect(file.seconds == [7.8, 8])
    #expect(file.ranges.line == [2, 4])
    #expect(file.ranges[.rssi]?[1] == -78 && file.ranges[.rssi]?[0].isNaN == true)
    #expect(file.rejected.map(\.reason) == ["the measurement failed, RX_TIMEOUT"])
    #expect(file.logNotes.contains { $0.contains("block index times 0.2 s") })
    #expect(file.logNotes.contains("1 line without a measurement"))
  }

  @Test func readsAnglesInDegrees() throws {
    let file = try LogText(
      """
      SESSION_INFO_NTF: {session_handle=42, sequence_number=125, block_index=5, n_measurements=1
      [mac_address=0x1234, status="SUCCESS", distance[cm]=150, loc_az_pdoa=25.30, loc_az=27.45, loc_el_pdoa=-5.20, loc_el=-3.10, RSSI[dBm]=-45.5]
      }
      """
    ).read()
    #expect(file.ranges[.azimuth] == [radians(27.45)])
    #expect(file.ranges[.elevation] == [radians(-3.1)])
    #expect(file.ranges[.rssi] == [-45.5])
  }

  @Test func usesTimesOfTheHost() throws {
    let notification =
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=1, n_measurements=1"
      + " [mac_address=0x0001, status=\"SUCCESS\", distance[cm]=71]}"
    for (stamp, seconds) in [
      ("12:33:48.686 -> ", 45_228.686), ("[12:33:48.686] ", 45_228.686),
      ("2026-06-11T12:33:48.5Z ", 1_781_181_228.5), ("[2026-06-11 12:33:48,5] ", 1_781_181_228.5),
      ("1781181228.5 ", 1_781_181_228.5), ("1781181228500: ", 1_781_181_228.5),
    ] {
      let file = try LogText(stamp + notification).read()
      #expect(file.seconds == [seconds], "\(stamp)")
      #expect(file.logNotes.contains("times: time stamps in front of the lines"))
    }
  }

  @Test func timesOfDayPassMidnight() throws {
    func line(_ stamp: String, _ block: Int) -> String {
      "\(stamp) -> SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=\(block),"
        + " n_measurements=1 [mac_address=0x0001, status=\"SUCCESS\", distance[cm]=71]}\n"
    }
    let file = try LogText(line("23:59:59.9", 1) + line("00:00:00.1", 2)).read()
    #expect(file.seconds == [86_399.9, 86_400.1])
    #expect(file.logNotes.contains { $0.contains("1 midnight passed") })
  }

  @Test func continuesAfterRestart() throws {
    func line(_ block: Int) -> String {
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=\(block),"
        + " n_measurements=1 [mac_address=0x0001, status=\"SUCCESS\", distance[cm]=71]}\n"
    }
    let file = try LogText([7, 8, 0, 1].map(line).joined()).read()
    #expect(file.seconds == [1.4, 1.6, 1.8, 2])
    #expect(file.logNotes.contains { $0.contains("the clock restarted once") })
  }

  @Test func statesTheDurationOfBlocks() throws {
    let log = LogText(
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=10, n_measurements=1"
        + " [mac_address=0x0001, status=\"SUCCESS\", distance[cm]=71]}"
    ) { $0.blockDuration = 0.05 }
    #expect(try log.read().seconds == [0.5])
  }

  @Test func rejectsDamagedAndSplicedLines() throws {
    let file = try LogText(
      """
      SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=1, n_measurements=2
       [mac_address=0x0001, status="SUCCESS", distance[cm]=24SESSION_INFO_NTF: {session_handle=1, sequence_number=2, block_index=2, n_measurements=1
       [mac_address=0x0001, status="SUCCESS", distance[cm]=245]}
       [mac_address=0x0003, status="SUCCESS", distance[cm]=99]}
      SESSION_INFO_NTF: {session_handle=1, sequ
      SESSION_INFO_NTF: {session_handle=1, sequence_number=3, block_index=3, n_measurements=1
       [mac_address=0x0001, status="SUCCESS", distance[cm]=-75]}
      """
    ).read()
    #expect(file.ranges.distance == [2.45])
    #expect(file.rejected.map(\.line).sorted() == [1, 2, 4, 5, 7])
  }

  @Test func recognisesLogOfFailures() throws {
    let log = LogText(
      """
      SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=1, n_measurements=2
       [mac_address=0x0001, status="RX_TIMEOUT"];
       [mac_address=0x0002, status="RX_PHY_STS_FAILED"]}
      """)
    #expect(log.format == .sessionInfo)
    #expect(
      try log.read().rejected.map(\.reason) == [
        "the measurement failed, RX_TIMEOUT", "the measurement failed, RX_PHY_STS_FAILED",
      ])
  }

  @Test func keepsLinesOutOfOrder() throws {
    func line(_ block: Int) -> String {
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=\(block),"
        + " n_measurements=1 [mac_address=0x0001, status=\"SUCCESS\", distance[cm]=71]}\n"
    }
    #expect(try LogText([7, 9, 8, 10].map(line).joined()).read().seconds == [1.4, 1.8, 1.6, 2])
  }

  @Test func skipsDiagnostics() throws {
    let file = try LogText(
      """
      SESSION_INFO_NTF: {session_handle=1, sequence_number=1, block_index=1, n_measurements=1
       [mac_address=0x0001, status="SUCCESS", distance[cm]=100]}
      RANGE_DIAGNOSTICS_NTF: {n_reports=6 [msg_id=CONTROL, action=TX, antenna_set=0, frame_status={SUCCESS: 1, WIFI_COEX: 0}, cfo_present=1, cfo_ppm=2.32, nb_aoa=0];
       [msg_id=CONTROL, action=TX]}
      """
    ).read()
    #expect(file.ranges.count == 1)
    #expect(file.rejected.isEmpty)
  }
}
