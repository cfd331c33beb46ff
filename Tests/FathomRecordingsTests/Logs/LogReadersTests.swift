import Foundation
import Testing

@testable import FathomRecordings

/// Lines of each format, as devices print them.
@Suite struct LogReadersTests {
  // MARK: Boards

  @Test func readsMakerfabsCommands() throws {
    let log = LogText(
      """
      AT+RANGE=tid:1,mask:04,seq:63,range:(0,0,30,0,0,0,0,0),rssi:(0.00,0.00,-77.93,0.00,0.00,0.00,0.00,0.00)
      AT+RANGE=tid:0,mask:01,seq:65,range:(92,0,0,0),ancid:(7,-1,-1,-1)
      AT+RANGE=tid:0,mask:03,seq:182,range:(232,40
      OK
      """)
    #expect(log.format == .makerfabs)
    let file = try log.read()
    #expect(file.tags == ["1", "0"])
    #expect(file.anchors == ["2", "7"])
    #expect(file.ranges.distance == [0.3, 0.92])
    #expect(file.ranges[.rssi]?[0] == -77.93)
    #expect(file.rejected.map(\.line) == [3])
  }

  @Test func readsMakerfabsObjects() throws {
    let new = LogText("{\"id\":1,\"range\":[0,0,30,0,0,0,0,0]}\n{\"id\":1,\"range\":[5,0,30]}")
    #expect(new.format == .makerfabs)
    #expect(try new.read().anchors == ["2", "0", "2"])
    let old = LogText("{\"links\":[{\"A\":\"1782\",\"R\":\"1.2\"},{\"A\":\"1783\",\"R\":\"2.3\"}]}")
    #expect(old.format == .makerfabs)
    let file = try old.read()
    #expect(file.anchors == ["1782", "1783"])
    #expect(file.ranges.distance == [1.2, 2.3])
  }

  @Test func readsPrintsOfArduinoLibrary() throws {
    let log = LogText(
      """
      from: 1782\t Range: 2.35 m\t RX power: -78.20 dBm
      from: 1783\t Range: 3.05 m\t RX power: -80.00 dBm
      from: 1782\t Range: 2.36 m\t RX power: -78.30 dBm
      from: 1782\t Range: 2.3
      device added!
      """)
    #expect(log.format == .dw1000)
    let file = try log.read()
    #expect(file.anchors == ["1782", "1783", "1782"])
    #expect(file.ranges[.rssi] == [-78.2, -80, -78.3])
    // The second distance to 1782 begins another round.
    #expect(file.seconds == [0, 0, 1])
    #expect(file.rejected.map(\.line) == [4])
  }

  /// The anchor and the time of such a line are those of pairs of a key and a value.
  @Test func leavesPairsInFrontOfARange() throws {
    let log = LogText("t=1.5 anchor=A1 Range: 2.35 m\nt=1.6 anchor=A2 Range: 3.05 m\n")
    #expect(log.format == .keyValue)
    let file = try log.read()
    #expect(file.anchors == ["A1", "A2"] && file.seconds == [1.5, 1.6])
    #expect(LogText("sketch Range: 2.35 m\nRange: 2.4 m\n").format == .dw1000)
  }

  @Test func readsTREK1000() throws {
    let log = LogText(
      """
      mr 0f 000005a4 000004c8 00000436 000003f9 0958 c0 40424042 a0:0
      mc 07 00000663 000005a3 00000512 000004cb 095f c1 00024c24 a0:0
      ma 07 00000000 0000085c 00000659 000006b7 095b 26 00024bed a0:0
      mc 0f 00000663 000005a3 0000051
      """)
    #expect(log.format == .trek1000)
    let file = try log.read()
    #expect(file.ranges.distance == [1.635, 1.443, 1.298])
    #expect(file.anchors == ["0", "1", "2"])
    #expect(file.seconds == [150.564, 150.564, 150.564])
    #expect(file.rejected.map(\.line) == [4])
    let raw = try LogText("mr 01 000005a4 000004c8 00000436 000003f9 0958 c0 40424042 a3:0").read()
    #expect(raw.ranges.distance == [1.444])
    #expect(raw.tags == ["3"])
  }

  @Test func readsTablesOfTREK1000() throws {
    let log = LogText("235959932\t0\t1153\t20049\t0\t20387\n000000038\t0\t1162\t20063\t28568\t1\n")
    #expect(log.format == .trekTable)
    let file = try log.read()
    #expect(file.anchors == ["0", "1", "3", "0", "1", "2", "3"])
    #expect(file.ranges.distance.prefix(3) == [1.153, 20.049, 20.387])
    #expect(file.seconds.first == 86_399.932 && file.seconds.last == 86_400.038)
  }

  // MARK: Qorvo

  @Test func readsQorvoObjects() throws {
    let log = LogText(
      """
      JS00EF{"LSTN":[41,88],"TS":"0x1","O":1,"rsl":-63.2,"fsl":-64}
      {"Block":3948, "results":[{"Addr":"0x0001","Status":"Ok","D_cm":71,"LPDoA_deg":0.00,"LAoA_deg":30.00,"LFoM":0,"RAoA_deg":0.00,"CFO_100ppm":622},{"Addr":"0x0002","Status":"Err"}]}
      {"Block":3949, "results":[{"Addr":"0x0001","Status":"Ok","D_cm":7
      """)
    #expect(log.format == .qorvoJSON)
    let file = try log.read()
    #expect(file.ranges.distance == [0.71])
    #expect(file.ranges[.azimuth] == [radians(30)])
    #expect(file.seconds == [789.6])
    #expect(file.rejected.map(\.line) == [2, 3])
  }

  @Test func readsTextOfFira() throws {
    let log = LogText(
      """
      # Ranging Data:
              session handle:     2
              sequence n:         8
              ranging interval:   200 ms
              n of measurement:   2
              # Measurement 1:
                  status:             Ok (0x0)
                  mac address:        00:00 hex
                  is nlos meas:       Unknown
                  distance:           62.0 cm
                  AoA azimuth:        -10.6328125 deg
                  AoA az. FOM:        92.0 %
                  AoA elevation:      0.0 deg
                  AoA elev. FOM:      0.0
                  rssi:               -0.0 dBm
              # Measurement 2:
                  status:             RxTimeout (0x21)
                  mac address:        00:01 hex
      """)
    #expect(log.format == .fira)
    let file = try log.read()
    #expect(file.anchors == ["00:00"])
    #expect(file.ranges.distance == [0.62])
    #expect(file.ranges[.azimuth] == [radians(-10.6328125)])
    #expect(file.ranges[.elevation]?[0].isNaN == true)
    #expect(file.ranges[.rssi]?[0].isNaN == true)
    #expect(file.seconds == [1.6])
    #expect(file.rejected.map(\.reason) == ["the measurement failed, RxTimeout"])
  }

  @Test func readsUWBCore() throws {
    let log = LogText(
      "{\"utime\": 5214098,\"c\": 274,\"uid\": 4867,\"ouid\": 4660,\"raz\": [0.5, 0.25, 1.5],\"los\": [0.75]}"
    )
    #expect(log.format == .uwbCore)
    let file = try log.read()
    #expect(file.tags == ["4867"] && file.anchors == ["4660"])
    #expect(file.seconds == [5.214098])
    #expect(file.ranges.distance == [0.5] && file.ranges[.azimuth] == [0.25])
    #expect(file.ranges[.elevation] == [.pi / 2 - 1.5])
    #expect(file.ranges[.nonLineOfSight] == [0.25])
  }

  // MARK: Phones

  @Test func readsAndroidBackend() throws {
    let log = LogText(
      "07-16 01:06:06.643  6182 24027 I UwbBackend: elapsedRealtime (ms) 123456 | distance (m) 1.230000 | azimuth: 12.300000 | elevation: -3.100000 | rssi: -60"
    )
    #expect(log.format == .android)
    let file = try log.read()
    #expect(file.seconds == [123.456])
    #expect(file.ranges[.azimuth] == [radians(12.3)] && file.ranges[.elevation] == [radians(-3.1)])
    #expect(file.ranges[.rssi] == [-60])
  }

  @Test func readsAndroidReports() throws {
    func measurement(_ address: String, _ status: Int) -> String {
      "RangingMeasurement[remote device address:\(address), distance measurement:"
        + " DistanceMeasurement[meters: 2.5, errorMeters: 0.1, confidenceLevel: 1.0], aoa"
        + " measurement: AngleOfArrivalMeasurement[azimuth: AngleMeasurement[radians: 0.5,"
        + " errorRadians: 0.1, confidenceLevel: 0.9], altitude: AngleMeasurement[radians: -0.25,"
        + " errorRadians: 0.1, confidenceLevel: 0.9]], dest aoa measurement: null, lineOfSight: 0,"
        + " measurementFocus: 1, rssiDbm: -128, ranging measurement metadata: null, elapsed real"
        + " time nanos: 1500000000, status: \(status)]"
    }
    let log = LogText(
      "Ranging Result: RangingReport[measurements: [\(measurement("0x0102", 0)),"
        + " \(measurement("0x0103", -1))], ranging report measurement: null]")
    #expect(log.format == .android)
    let file = try log.read()
    #expect(file.anchors == ["0x0102"])
    #expect(file.ranges.distance == [2.5])
    #expect(file.ranges[.azimuth] == [0.5] && file.ranges[.elevation] == [-0.25])
    #expect(file.ranges[.nonLineOfSight] == [0])
    #expect(file.ranges[.rssi]?[0].isNaN == true)
    #expect(file.seconds == [1.5])
    #expect(file.rejected.map(\.reason) == ["the measurement failed, status -1"])
  }

  @Test func readsAndroidService() throws {
    let file = try LogText(
      "07-16 01:06:06.643  1 2 D UwbService: UwbTwoWayMeasurement {  MacAddress = 0x0102, RangingStatus = 0, NLoS = 1, Distance = 231(cm), AoaAzimuth = 10.5, AoaAzimuthFom = 100, AoaElevation = 1.0, AoaElevationFom = 0, RSSI = -70}"
    ).read()
    #expect(file.ranges.distance == [2.31])
    #expect(file.ranges[.azimuth] == [radians(10.5)])
    #expect(file.ranges[.elevation]?[0].isNaN == true)
    #expect(file.ranges[.nonLineOfSight] == [1])
    #expect(file.logNotes.contains("times: time stamps in front of the lines"))
  }

  @Test func readsRowsOfSeveralSensors() throws {
    let log = LogText(
      "Timestamp,Distance,Azimuth,Elevation,AccX,AccY,AccZ\n12345.67,\"uwb\",1.23,45.0,-9.0\n12345.70,\"mag\",10.1,20.2,30.3\n"
    )
    #expect(log.format == .arexp)
    let file = try log.read()
    #expect(file.seconds == [12345.67] && file.ranges[.azimuth] == [0.5])
    #expect(file.ranges[.elevation] == [-0.1])
  }

  @Test func readsNearbyInteractionTables() throws {
    let file = try LogText(
      "Time,Distance[m],Direction_x,Direction_y,Direction_z\n12:34:56.789, 1.234,0.100,-0.050,-0.994\n"
    ).read()
    #expect(file.seconds == [45_296.789] && file.ranges.distance == [1.234])
    #expect(file.ranges[.directionZ] == [-0.994])
  }

  // MARK: LinkTrack and Marvelmind

  @Test func readsRowsOfLinkTrackTopic() throws {
    let log = LogText(
      """
      %time,field.role,field.id,field.nodes0.role,field.nodes0.id,field.nodes0.dis,field.nodes0.fp_rssi,field.nodes0.rx_rssi,field.nodes1.role,field.nodes1.id,field.nodes1.dis,field.nodes1.fp_rssi,field.nodes1.rx_rssi
      1600000000000000000,2,5,1,0,3.214,-80.5,-79.0,1,1,4.115,-82.0,-80.0
      1600000000020000000,2,5,1,0,3.220,-80.5,-79.0,,,,,
      1600000000040000000,2,5,1,0
      """)
    #expect(log.format == .linkTrackTopic)
    let file = try log.read()
    #expect(file.tags == ["5", "5", "5"] && file.anchors == ["0", "1", "0"])
    #expect(file.ranges.distance == [3.214, 4.115, 3.22])
    #expect(file.ranges[.firstPathRSSI] == [-80.5, -82, -80.5])
    #expect(file.rejected.map(\.line) == [4])
  }

  /// A NodeFrame2 of tag 2 with one node.
  private static func frame(node: UInt8, millimetres: Int) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: 119 + 13 + 1)
    frame[0] = 0x55
    frame[1] = 0x04
    frame[2] = UInt8(frame.count)
    (frame[4], frame[5]) = (2, 2)
    // 500 ms.
    (frame[6], frame[7]) = (0xF4, 0x01)
    frame[118] = 1
    (frame[119], frame[120]) = (1, node)
    for index in 0..<3 { frame[121 + index] = UInt8(millimetres >> (8 * index) & 0xFF) }
    (frame[124], frame[125]) = (160, 150)
    frame[frame.count - 1] = frame.dropLast().reduce(0) { $0 &+ $1 }
    return frame
  }

  @Test func readsFramesOfLinkTrack() throws {
    var damaged = Self.frame(node: 1, millimetres: 2000)
    damaged[50] = 1
    let bytes =
      Self.frame(node: 0, millimetres: 1234) + damaged + Self.frame(node: 3, millimetres: 66_000)
    let input = StoredInput(path: "nlink.bin", bytes: bytes)
    for blockSize in [16, 100, 1 << 17] {
      let file = try RangesReader.read(
        input, options: RecordingOptions(), declared: [], blockSize: blockSize)
      #expect(file.layout.format == .linkTrack)
      #expect(file.tags == ["2", "2"] && file.anchors == ["0", "3"])
      #expect(file.ranges.distance == [1.234, 66])
      #expect(file.seconds == [0.5, 0.5])
      #expect(file.ranges[.firstPathRSSI] == [-80, -80] && file.ranges[.rssi] == [-75, -75])
      #expect(file.rejected.total == 1)
    }
  }

  /// Found by libFuzzer: nanoseconds since 1970 end in the year 2262.
  @Test func marvelmindRejectsADistantYear() throws {
    let log = LogText(
      "1600000152000,0,1000,5,1.0,2.0,0.5,11,3.25,12,4.5\n16000001520003,0,1000,5,1.0,2.0,0.5,11,3.25,12,4.5\n"
    )
    let file = try log.read()
    #expect(file.ranges.count == 2 && file.rejected.total == 1)
  }

  @Test func readsMarvelmind() throws {
    let log = LogText(
      "1600000000123,50,1000,5,1.0,2.0,0.5,11,3.25,12,4.5\n1600000000173,50,1050,5,1.0,2.0,0.5,11,3.26,0,0\n"
    )
    #expect(log.format == .marvelmind)
    let file = try log.read()
    #expect(file.tags == ["5", "5", "5"] && file.anchors == ["11", "12", "11"])
    #expect(file.ranges.time.first?.nanoseconds == 1_600_000_000_123_000_000)
    #expect(file.ranges.distance == [3.25, 4.5, 3.26])
  }

  // MARK: Research

  @Test func readsResearchFormats() throws {
    let gtsam = LogText("   1.2079742e+009   1.0000000e+000   5.0000000e+000   3.1730000e+001\n")
    #expect(gtsam.format == .gtsam)
    let ranges = try gtsam.read()
    #expect(ranges.tags == ["1"] && ranges.anchors == ["5"] && ranges.ranges.distance == [31.73])
    let rsf = LogText("range3 0.1 3.214 0.04 1 2 3 7\npoint3 0.1 1 1 1 0 0 0 0 0 0 0 0 0\n")
    #expect(rsf.format == .librsf)
    let file = try rsf.read()
    #expect(file.anchors == ["7"] && file.ranges[.sigma] == [0.2])
  }

  /// A recording that declared such an anchor could not be read again.
  @Test func declaresOnlyNames() throws {
    let row = "range2 0.1 3.2 0.01 0 0 "
    let text = row + "1\n" + row + String(repeating: "9", count: 300) + "\n"
    let input = StoredInput(path: "log", bytes: Array(text.utf8))
    let found = try LogAnchors(input, .librsf, options: RecordingOptions())
    #expect(found.declared.names == ["1"])
    let file = try LogText(text).read()
    #expect(file.anchors == ["1"] && file.rejected.map(\.line) == [2])
  }

  @Test func forcesFormat() throws {
    let log = LogText("1 5 6 2.5\n") { $0.format = .gtsam }
    #expect(try log.read().anchors == ["6"])
  }

  @Test func keepsTablesAsTheyAre() throws {
    // Columns stay columns, whatever the readers of logs could find in them.
    #expect(LogText("time_s,tag,anchor,distance_m\n0,T,A,1\n").format == .csv)
    #expect(LogText("a,b\n1,2\n").format == .csv)
    #expect(LogText("").format == .csv)
  }
}
